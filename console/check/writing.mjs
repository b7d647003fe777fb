// A new memory by its button, and a list in the order of dates with a search of its own.
export async function writing({ page, look, sees, holds, fail, url, call, token }) {
  const at = (key) => `/v1/stores/self/memories/${encodeURIComponent(key)}`;
  await page.goto(`${url}/console/#/memories`);
  await page.getByRole("main").getByRole("button", { name: "New memory" }).click();
  const form = page.getByRole("dialog", { name: "New memory" });
  const write = form.getByRole("button", { name: "Write it" });
  await write.click();
  await sees("that there is no text", form.getByText("Write what to remember."));
  await look("new-missing");
  const key = form.getByLabel("Key", { exact: true });
  const text = form.getByLabel("Text");
  await text.fill("Ämilie moved to Porto in June!");
  await holds(async () => (await key.inputValue()) === "ämilie-moved-to-porto-in", "no key is suggested");
  await key.fill("written//here");
  await write.click();
  await holds(async () => (await key.getAttribute("aria-invalid")) === "true", "a wrong key is not marked");
  await sees("what is wrong with the key", form.getByRole("alert").filter({ hasText: "no empty segment" }));
  await look("new-refused");
  await key.fill("diet/ben");
  await write.click();
  await sees("that the key is taken", form.getByRole("alert").filter({ hasText: "There is a memory with this key" }));

  // What was typed is still there after the form was closed.
  await page.keyboard.press("Escape");
  await form.waitFor({ state: "detached" });
  await page.getByRole("main").getByRole("button", { name: "New memory" }).click();
  if ((await text.inputValue()) !== "Ämilie moved to Porto in June!") fail("a form that is closed forgets what was typed");
  await key.fill("written/here");
  await form.getByRole("combobox", { name: "Tags" }).fill('people, "Porto, Portugal"');
  await form.getByLabel("Type").selectOption("project");
  await form.getByLabel("How exactly that is known").selectOption("day");
  await form.locator("input[type=date]").fill("2024-06-03");
  await sees("its label", form.getByText("It is that of your token"));
  await look("new-filled");
  await write.click();
  const pane = page.getByRole("complementary");
  await sees("what was written", pane.getByText("Ämilie moved to Porto in June!"));
  await sees("when it happened", pane.getByText("2024-06-03"));
  const stored = await call(token, "GET", at("written/here"));
  if (stored.type !== "project" || stored.occurred_at !== "2024-06-03" || JSON.stringify(stored.tags) !== '["people","Porto, Portugal"]') fail(`what was written is ${JSON.stringify(stored)}`);

  // A year, which a day becomes in the editor, and nothing.
  await pane.getByRole("button", { name: "Edit" }).click();
  await pane.getByLabel("How exactly that is known").selectOption("year");
  await pane.getByRole("button", { name: "Save as a new version" }).click();
  await sees("the year", pane.getByText("2024", { exact: true }));
  await call(token, "PUT", at("written/here"), { value: stored.value, occurred_at: "2024-06-03" });
  await page.keyboard.press("Escape");

  // The order of dates is of the whole list, also of what is on later pages.
  const list = page.getByRole("region", { name: "List" });
  const items = Array.from({ length: 150 }, (_, i) => ({ op: "put", key: `dated/${String(i).padStart(3, "0")}`, value: `Day ${i}.`, occurred_at: `${1800 + i}` }));
  await call(token, "POST", "/v1/stores/self/memories:batch", { items });
  await page.goto(`${url}/console/#/memories?prefix=dated/`);
  await sees("the list by key", list.locator("li[data-row='0']", { hasText: "dated/000" }));
  await page.getByLabel("Order").selectOption("happened");
  await sees("what happened last", list.locator("li[data-row='0']", { hasText: "dated/149" }));
  await sees("its date", list.locator("li[data-row='0'] time", { hasText: "1949" }));
  await sees("all of them", page.getByText("150 memories", { exact: true }));
  if (!page.url().includes("sort=happened")) fail("the address does not hold the order");
  await call(token, "PUT", at("dated/070"), { value: "Day 70, corrected." });
  await page.getByLabel("Order").selectOption("written");
  await sees("what was written last", list.locator("li[data-row='0']", { hasText: "dated/070" }));
  await sees("when it was written", list.locator("li[data-row='0'] time", { hasText: "written" }));
  await look("memories-sorted");

  const find = page.getByRole("searchbox", { name: "Search this list" });
  await find.fill("correct*");
  await page.keyboard.press("Enter");
  await sees("the one that fits", page.getByText("1 memory", { exact: true }));
  await sees("what was found", list.locator("li[data-row='0']", { hasText: "Day 70, corrected." }));
  await find.fill('"day corrected"');
  await page.keyboard.press("Enter");
  await sees("that no phrase fits", page.getByRole("heading", { name: "Nothing fits these filters" }));
  await look("memories-none-fit");
  const batch = items.map(({ key }) => ({ op: "delete", key }));
  await call(token, "POST", "/v1/stores/self/memories:batch", { items: batch });
  await page.goto(`${url}/console/#/memories`);
}
