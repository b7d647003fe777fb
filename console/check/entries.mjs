// The pane of an entry: what is under way when another one is opened.
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
  await page.keyboard.press("Escape");
  await page.goto(`${url}/console/#/memories`);
}
