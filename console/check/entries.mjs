// The pane of an entry: what is under way when another one is opened, tags with commas,
// and a long history.
export async function entries({ page, settled, look, sees, holds, fail, url, call, token }) {
  const at = (key) => `/v1/stores/self/memories/${encodeURIComponent(key)}`;
  const stored = (key) => call(token, "GET", at(key));
  const list = page.getByRole("region", { name: "List" });
  const pane = page.getByRole("complementary");
  const open = (key) => list.locator("li", { hasText: key }).locator(".open").click();
  const press = (name) => pane.getByRole("button", { name, exact: true }).click();
  const save = async () => {
    const answer = page.waitForResponse((r) => r.request().method() === "PUT");
    await press("Save as a new version");
    await (await answer).finished();
  };
  // holding holds the calls of a method for pane/slow until what it returns is called.
  const holding = async (method) => {
    let goOn;
    const held = new Promise((resolve) => (goOn = resolve));
    const slow = "**/memories/pane%2Fslow"; // of the store under its own name
    await page.route(slow, (route) => (route.request().method() === method ? held.then(() => route.continue()) : route.continue()));
    return async () => {
      const answer = page.waitForResponse((r) => r.url().endsWith("/memories/pane%2Fslow") && r.request().method() === method);
      goOn();
      await (await answer).finished();
      await settled({ answers: false });
      await page.unroute(slow);
    };
  };

  await call(token, "PUT", at("pane/slow"), { value: "The slow text." });
  await call(token, "PUT", at("pane/other"), { value: "The other text." });
  await call(token, "PUT", at("pane/tagged"), { value: "A place with a comma.", tags: ["a, b"] });
  await call(token, "POST", "/v1/stores/self/memories:batch", { items: Array.from({ length: 60 }, (_, i) => ({ op: "put", key: "pane/often", value: `Text ${i + 1}.` })) });
  await page.goto(`${url}/console/#/memories?prefix=pane/`);

  // A late answer is not taken for that of the entry which was opened since.
  let release = await holding("GET");
  await open("pane/slow");
  await open("pane/other");
  await press("Edit");
  await pane.getByLabel("Text").fill("The other text, edited.");
  await release();
  await save();
  if ((await stored("pane/slow")).version !== 1) fail("an edit was saved over another memory");
  if ((await stored("pane/other")).value !== "The other text, edited.") fail("an edit was not saved");

  // What is under way neither closes another entry nor drops what is written there.
  await open("pane/slow");
  await press("Edit");
  await pane.getByLabel("Text").fill("The slow text, edited.");
  release = await holding("PUT");
  await press("Save as a new version");
  await open("pane/other");
  await press("Edit");
  await pane.getByLabel("Text").fill("Half a sentence");
  await release();
  if ((await stored("pane/slow")).version !== 2) fail("an edit was not saved while another memory was opened");
  if ((await pane.getByLabel("Text").count()) === 0 || (await pane.getByLabel("Text").inputValue()) !== "Half a sentence") fail("what is being written is gone when another memory is saved");
  await open("pane/slow");
  release = await holding("DELETE");
  await press("Delete");
  await press("Delete it?");
  await open("pane/other");
  await sees("the entry opened meanwhile", pane.getByText("The other text, edited."));
  await release();
  if ((await pane.getByText("The other text, edited.").count()) === 0) fail("deleting a memory closes another one");

  // A tag with a comma stays one.
  const tags = async (wanted, after) => {
    const { tags: now } = await stored("pane/tagged");
    if (JSON.stringify(now) !== JSON.stringify(wanted)) fail(`after ${after} the tags are ${JSON.stringify(now)}`);
  };
  await open("pane/tagged");
  await press("Edit");
  await pane.getByLabel("Description").fill("Somewhere");
  await save();
  await tags(["a, b"], "describing");
  await press("Edit");
  await pane.getByLabel("Tags").fill(`${await pane.getByLabel("Tags").inputValue()}, c, "say ""so"""`);
  await save();
  await tags(["a, b", "c", 'say "so"'], "tagging");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  await page.getByRole("combobox", { name: "Tags" }).fill('c, "a, b"');
  await page.keyboard.press("Enter");
  await sees("the one with both tags", page.getByText("1 memory", { exact: true }));
  await sees("the tags as a chip", page.getByRole("list", { name: "Filters that are set" }).getByText('c, "a, b"'));
  await page.getByRole("button", { name: "Clear all" }).click();
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  await page.goto(`${url}/console/#/ask?q=${encodeURIComponent("a place with a comma")}`);
  await sees("the hit with a comma", page.locator("li.hit", { hasText: "pane/tagged" }));
  await page.getByRole("button", { name: "Options", exact: true, pressed: false }).click();
  const several = page.getByRole("combobox", { name: "tags" });
  await several.fill('c, "a,');
  await sees("the tag with a comma", page.getByRole("option", { name: "a, b", exact: true }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await holds(async () => (await several.inputValue()) === 'c, "a, b"', "a completed tag with a comma is not in quotes");
  await page.getByRole("button", { name: "Options", exact: true, pressed: true }).click();

  // Every version can be reached, however many there are, and after a failure.
  const versions = "**/versions?*";
  let away = true;
  await page.route(versions, (route) => (away ? route.fulfill({ status: 503 }) : route.continue({ url: route.request().url().replace("limit=100", "limit=40") })));
  const version = (n) => pane.getByRole("button", { name: `Version ${n}`, exact: true });
  await page.goto(`${url}/console/#/memories?prefix=pane/`);
  await open("pane/often");
  await pane.getByText("History").click();
  await sees("that there is no history now", pane.getByRole("alert"));
  away = false;
  await pane.getByText("History").click();
  await pane.getByText("History").click();
  await sees("the newest versions", version(21));
  if ((await pane.getByRole("alert").count()) > 0) fail("a failure stays after what has worked");
  await look("history");
  await press("Older versions");
  await sees("the first version after the newer ones", version(1));
  if ((await pane.getByRole("button", { name: "Older versions" }).count()) > 0) fail("there are versions older than the first");
  await page.unroute(versions);
  await page.keyboard.press("Escape");
  await open("pane/often");
  await pane.getByText("History").click();
  await sees("sixty versions", version(1));
  await page.keyboard.press("Escape");
  await page.goto(`${url}/console/#/memories`);
}
