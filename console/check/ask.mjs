// The editors of a question's options, and the states of an answer.
export async function askStates({ page, context, look, sees, holds, fail, url }) {
  await page.getByRole("link", { name: "Memories" }).click();
  await page.getByRole("link", { name: "Ask" }).click();
  const question = page.getByRole("search").getByRole("textbox");
  const ask = async (text) => {
    await question.fill(text);
    await page.keyboard.press("Enter");
  };
  await ask("what must I not cook for Ben?");
  await sees("the hit", page.locator("li.hit", { hasText: "adrenaline pen" }));

  // The number of hits stands beside the question, and is the option of the same name.
  const most = page.getByRole("spinbutton", { name: "Hits at most" });
  if ((await most.inputValue()) !== "10") fail("the number of hits is not 10 by default");
  await most.fill("1");
  await page.keyboard.press("Enter");
  const set = page.getByRole("list", { name: "Options that are set" });
  await sees("the number of hits as a chip", set.getByText("limit 1"));
  await page.locator("li.hit").nth(1).waitFor({ state: "detached" });
  await most.fill("101");
  await page.keyboard.press("Enter");
  if (!(await set.getByText("limit 1", { exact: true }).isVisible())) fail("more hits than a search gives are asked for");
  await page.setViewportSize({ width: 320, height: 800 });
  if (!(await most.isVisible())) fail("a narrow screen does not show the number of hits");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Leave out limit" }).click();
  await page.locator("li.hit").nth(1).waitFor({ state: "attached" }).catch(() => fail("one hit remains when the limit is left out"));
  await holds(async () => (await most.inputValue()) === "10", "a limit that is left out stays beside the question");
  await page.getByRole("button", { name: "Options" }).click();

  // Tags of the visitor's own store complete, the second after a comma too.
  const tags = page.getByRole("combobox", { name: "tags" });
  await tags.fill("fo");
  await sees("a tag that completes", page.getByRole("option", { name: "food" }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await holds(async () => (await tags.inputValue()) === "food", "Enter does not take the tag");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  if (!(await tags.isVisible())) fail("Escape in a list closes more than the list");
  await page.getByRole("combobox", { name: "namespace" }).fill("tr");
  await sees("a namespace that completes", page.getByRole("option", { name: "travel" }));
  await page.getByRole("combobox", { name: "namespace" }).fill("");

  // A condition: field, operator and value.
  await page.getByRole("button", { name: "+ condition" }).click();
  await page.getByRole("combobox", { name: "field of condition 1" }).fill("lab");
  await page.getByRole("option", { name: "label" }).click();
  await page.getByLabel("operator of condition 1").selectOption("lte");
  await page.getByLabel("value of condition 1").selectOption("INTERNAL");
  await look("ask-options");
  await page.getByRole("button", { name: "Ask with these" }).click();
  await sees("the condition as a chip", page.getByRole("list", { name: "Options that are set" }).getByText('{"label":{"lte":"INTERNAL"}}'));
  await sees("the hit under the condition", page.locator("li.hit", { hasText: "adrenaline pen" }));

  // The whole request as JSON, and back.
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  const json = page.getByLabel("The request as JSON");
  const request = JSON.parse(await json.inputValue());
  if (request.query !== "what must I not cook for Ben?" || request.where?.label?.lte !== "INTERNAL" || request.tags?.[0] !== "food" || request.limit !== 10) fail(`the request shown is ${JSON.stringify(request)}`);
  await json.fill('{\n  "query": "Ben",\n  "limit": 5,,\n}');
  await sees("where the JSON is wrong", page.getByText("Line 3, column 14: expected a name in double quotes."));
  if (await page.getByRole("button", { name: "Ask with these" }).isEnabled()) fail("wrong JSON can be asked");
  await look("ask-json-wrong");
  await json.fill('{"query": "what may Ben eat?", "limit": 5, "where": {"updatd_at": {"gte": "now-1d"}}}');
  if ((await question.inputValue()) !== "what may Ben eat?") fail("the JSON's question is not the question");
  await page.getByRole("button", { name: "Ask with these" }).click();
  await sees("the refusal at its chip", page.getByRole("list", { name: "Options that are set" }).getByRole("listitem").filter({ hasText: "where" }).getByText("where.updatd_at: is not a field"));
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  await look("ask-refused");
  await page.getByRole("button", { name: "Leave out where" }).click();
  await sees("the hits without it", page.locator("li.hit"));
  await page.getByRole("button", { name: "Options" }).click();

  await page.goto(`${url}/console/#/ask?q=${encodeURIComponent("zqxv")}&o=${encodeURIComponent('{"match":{"all":["zqxv"]}}')}`);
  await sees("that nothing is relevant", page.getByText("Nothing relevant."));
  await sees("what was searched", page.getByText('match {"all":["zqxv"]}'));
  await look("ask-nothing");

  // What a service rarely answers, in answers of its own that are changed on their way.
  const answering = async (change, text, act) => {
    await page.route("**/v1/search", change);
    await ask(text);
    await act();
    await page.unroute("**/v1/search");
  };
  const changed = (more) => async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...more } });
  };
  await page.goto(`${url}/console/#/ask?q=Ben`);
  const skipped = [{ store_id: "<b>huts</b>", offer: "0190", reason: "max_charge" }];
  await answering(changed({ degraded: ["vector", "vector_lag"], incomplete: true, skipped }), "where does Anna sit?", async () => {
    await sees("which leg did not answer", page.getByText("these hits are found by words alone"));
    await sees("that vectors are behind", page.getByText("wait for their vectors"));
    await sees("that there may be more", page.getByText("There may be more hits"));
    await sees("the store that was passed over", page.getByText("max_charge is missing"));
    await look("ask-degraded");
  });
  const limited = (route) => route.fulfill({ status: 429, headers: { "Retry-After": "300", "Content-Type": "application/problem+json" }, json: { type: "urn:mneme:problem:limit", title: "Too many requests", status: 429, detail: "searches running an agent: 8", instance: "urn:uuid:0" } });
  await answering(limited, "what does Ben carry?", async () => {
    await sees("when a limit has room again", page.getByText(/room again in \d+ s/));
    if (await page.getByRole("button", { name: "Try again" }).isEnabled()) fail("a spent limit can be asked at once");
    await look("ask-limited");
    await page.clock.setFixedTime(Date.now() + 301_000);
    await sees("that it may be tried again", page.getByRole("button", { name: "Try again", disabled: false }));
    await page.clock.setSystemTime(new Date());
  });
  await page.getByRole("button", { name: "Try again" }).click();
  await sees("the answer after the limit", page.locator("li.hit"));

  // What was loaded stays readable without the service, and asks again after it.
  await context.setOffline(true);
  await ask("is Ben allergic to peanuts?");
  await sees("that the service does not answer", page.getByText("The service does not answer").first());
  await look("ask-offline");
  await context.setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await sees("the answer when it is back", page.locator("li.hit"));
  await page.getByRole("status").filter({ hasText: "The service does not answer" }).waitFor({ state: "detached" });
}
