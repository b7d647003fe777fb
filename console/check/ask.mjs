// The editors of a question's options, and the states of an answer.
export async function askStates({ page, context, look, sees, holds, fail, url, call, token, platform }) {
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

  // A store that may only be searched is searched, and named where the options leave it out.
  const { agent: me } = await call(token, "GET", "/v1/account");
  const { agent: other } = await call(platform, "GET", "/v1/account");
  await call(platform, "PUT", `${hutPath}?wait=indexed`, hut);
  await call(platform, "PUT", `/v1/stores/self/grants/${me}`, { level: "search" });
  await call(token, "POST", `/v1/stores/${other}/accept`); // a question that names no store searches it from then on
  const found = page.locator("li.hit", { hasText: "no water in September" });
  await ask("which hut has no water in September?");
  await sees("the hit of a store that may only be searched", found.getByText("search only"));
  await page.locator("li.hit .parts").first().waitFor({ state: "attached" }).catch(() => fail("the other hits are not explained"));
  await look("ask-search-only");
  const withOptions = (options) => page.goto(`${url}/console/#/ask?q=${encodeURIComponent("which hut has no water?")}&o=${encodeURIComponent(JSON.stringify(options))}`);
  await withOptions({ stores: [other] });
  await page.getByText("Why not this one?").waitFor({ state: "detached" });
  await sees("the hit of the store that is named", found);
  await withOptions({ mode: "lexical" });
  await sees("which store the options leave out", page.getByText(`Not searched: ${other}: it may only be searched, and without these options.`));
  if ((await found.count()) > 0) fail("a hit is of a store that was left out");
  await look("ask-left-out");
  await call(platform, "DELETE", `/v1/stores/self/grants/${me}`);
  await call(platform, "DELETE", hutPath);
}

const hutPath = "/v1/stores/self/memories/hut";
const hut = { value: "The hut at the lake has no water in September." };

// What may cost money is asked by a click, never by an address that is opened, and is
// charged for once when its answer is lost.
export async function paying({ page, url, signIn, buyer, platform, look, sees, holds, fail, call }) {
  const { agent: seller } = await call(platform, "GET", "/v1/account");
  const { agent: shopper } = await call(buyer, "GET", "/v1/account");
  await call(platform, "PUT", `${hutPath}?wait=indexed`, hut);
  const { id } = await call(platform, "POST", "/v1/stores/self/offers", { title: "Huts", description: "", terms: { price_search: 2000, price_entry: 1000 } });
  await call(platform, "POST", `/v1/admin/accounts/${shopper}/topup`, { amount: 1_000_000, reference: "console-asks" });
  await call(buyer, "POST", `/v1/offers/${id}/accept`);
  const balance = async () => (await call(buyer, "GET", "/v1/account")).balance;
  const before = await balance();

  const keys = [];
  const note = (r) => r.url() === `${url}/v1/search` && keys.push(r.headers()["idempotency-key"]);
  page.on("request", note);
  const unasked = page.getByText("It may cost money");
  const found = page.locator("li.hit", { hasText: "no water in September" });
  await page.goto(`${url}/console/#/ask?q=${encodeURIComponent("which hut has no water?")}&o=${encodeURIComponent(JSON.stringify({ stores: [seller], max_charge: 5000 }))}`);
  await signIn(buyer);
  await sees("that an address is not asked where it may cost money", unasked);
  await look("ask-charges");
  if (keys.length > 0) fail("an address that was opened was asked, which may cost money");

  const lost = async (route) => {
    await route.fetch();
    await route.abort("internetdisconnected");
  };
  await page.route("**/v1/search", lost);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await sees("that no answer came", page.getByRole("button", { name: "Try again" }));
  await page.unroute("**/v1/search", lost);
  await page.getByRole("button", { name: "Try again" }).click();
  await sees("the hit that was paid for", found);
  const paid = before - (await balance());
  if (paid !== 3000) fail(`a search for 3000 that was repeated cost ${paid}`);
  if (keys.length !== 2 || !keys[0] || keys[0] !== keys[1]) fail(`a click asked under the keys ${keys.join(", ")}`);

  await page.getByRole("link", { name: "Memories" }).click();
  await sees("another screen", page.getByRole("button", { name: "Trash" }));
  await page.goBack();
  await sees("that going back does not ask", unasked);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await holds(() => keys.length > 2, "a second click asks nothing");
  if (keys.length !== 3 || keys[2] === keys[0]) fail(`going back and a click asked under the keys ${keys.join(", ")}`);
  await sees("the answer of the second click", found);
  await signIn(buyer);
  await sees("that a reload does not ask", unasked);
  if (keys.length !== 3) fail("a reload asked again, which may cost money");
  page.off("request", note);
  await call(platform, "DELETE", `/v1/offers/${id}`);
  await call(platform, "DELETE", `/v1/stores/self/grants/${shopper}`);
  await call(platform, "DELETE", hutPath);
}
