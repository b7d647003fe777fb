import { readFile } from "node:fs/promises";

// The list of memories: import by dropping a file, its refusals, export, filters,
// namespaces, selection, and what is done with it.
export async function memories({ page, look, sees, holds, fail, url, call, token }) {
  await page.getByRole("button", { name: "Trash", pressed: true }).click();
  const lines = (all) => all.join("\n") + "\n";
  const drop = async (name, text) => {
    const data = await page.evaluateHandle(([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name));
      return transfer;
    }, [name, text]);
    await page.dispatchEvent("main", "dragenter", { dataTransfer: data });
    await sees("where to drop", page.getByText("Drop files of JSON lines to import them"));
    await page.dispatchEvent("main", "drop", { dataTransfer: data });
  };

  await drop("notes.md", "# Notes\n\nBen eats no peanuts.\n");
  await sees("that Markdown needs the command", page.getByText(/^mneme import --store \S+ 'notes.md'$/));
  await look("import-other");
  await page.getByRole("alert").getByRole("button", { name: "Close" }).click();

  const many = Array.from({ length: 600 }, (_, i) => JSON.stringify({ key: `dropped/${i}`, value: `Number ${i}.` }));
  many[449] = `{"key": "dropped/449"}`;
  many.push(JSON.stringify({ key: "line", namespace: "trips", value: "x".repeat(90_000) }));
  many.push(JSON.stringify({ key: "seat/anna", namespace: "trips", value: "Anna sits \u202Eyb eht wodniw\u202C.", tags: ["seat"], type: "user", ttl: 864000 }));
  await drop("some.ndjson", lines(many));
  const sums = page.getByRole("region", { name: "Import" }).getByRole("status");
  await sums.filter({ hasText: "Done" }).waitFor();
  await sees("the sums of the import", sums.filter({ hasText: "602 lines read · 601 written · 0 unchanged · 1 refused" }));
  await sees("the number of the refused line", page.getByRole("region", { name: "Refused lines" }).getByRole("cell", { name: "450", exact: true }));
  await look("import");
  await page.getByRole("region", { name: "Import" }).getByRole("button", { name: "Close" }).click();

  const saved = async (button) => {
    const saves = page.waitForEvent("download");
    await button.click();
    return readFile(await (await saves).path(), "utf8");
  };
  const exported = async (button) => (await saved(button)).trimEnd().split("\n").map((l) => JSON.parse(l));
  const whole = await exported(page.getByRole("button", { name: "Export", exact: true }));
  if (whole.filter((e) => e.key.startsWith("dropped/")).length !== 599) fail(`the export has ${whole.length} lines`);

  await page.getByLabel("Key begins").fill("dropped/");
  await page.keyboard.press("Enter");
  await sees("the filter as a chip", page.getByRole("button", { name: "Leave out prefix" }));
  await sees("the filtered list", page.locator("li", { hasText: "dropped/" }));
  const list = page.getByRole("region", { name: "List" });

  // Reading on to the end says how far it is, and can be stopped.
  let goOn;
  const held = new Promise((resolve) => (goOn = resolve));
  const later = "**/v1/stores/self/memories?*cursor=*";
  await page.route(later, (route) => held.then(() => route.continue()));
  await list.locator(".open").first().focus();
  await page.keyboard.press("End");
  await sees("how many were read so far", page.getByText("100 memories read, reading on …"));
  await look("reading-on");
  await list.locator(".open").first().focus();
  await page.keyboard.press("Escape");
  await sees("that it has stopped", page.getByRole("button", { name: "Read all" }));
  goOn();
  await sees("the page that was on its way", page.getByText("200 and more memories"));
  await page.unroute(later);
  await list.locator(".open").first().focus();
  await page.keyboard.press("End");
  await sees("that all are loaded", page.getByText("599 memories", { exact: true }));
  await sees("the last row", list.getByText("dropped/99", { exact: true }));
  const drawn = await list.locator("li").count();
  if (drawn > 60) fail(`${drawn} rows of 599 are drawn`);
  const fitting = await exported(page.getByRole("button", { name: "Export what fits" }));
  if (fitting.length !== 599) fail(`the export of what fits has ${fitting.length} lines`);

  // Namespaces, and what the address keeps.
  const tree = page.getByRole("navigation", { name: "Namespaces" });
  await page.getByRole("button", { name: "Clear all" }).click();
  await tree.getByRole("button", { name: "trips" }).click();
  await sees("a folder of the namespace", tree.getByRole("button", { name: "seat/" }));
  await sees("the code point of an override", list.getByText("U+202E"));
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  await page.getByRole("combobox", { name: "Tags" }).fill("seat");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "+ condition" }).click();
  await page.getByRole("combobox", { name: "field of condition 1" }).fill("updated_at");
  await page.keyboard.press("Enter");
  await page.getByLabel("operator of condition 1").selectOption("gte");
  await page.getByRole("combobox", { name: "value of condition 1" }).fill("now-1d");
  await page.keyboard.press("Enter");
  await sees("one that fits", page.getByText("1 memory", { exact: true }));
  for (const part of ["namespace=trips", "tags=seat", "where="]) if (!page.url().includes(part)) fail(`the address does not hold ${part}`);
  const one = await exported(page.getByRole("button", { name: "Export what fits" }));
  if (one.length !== 1 || one[0].key !== "seat/anna") fail("the export does not honour the filters shown");
  await look("filters");
  await page.getByRole("combobox", { name: "value of condition 1" }).fill("some day");
  await page.keyboard.press("Enter");
  await sees("the refusal of a condition", page.getByRole("alert"));
  await look("filters-refused");
  await page.getByRole("button", { name: "Clear all" }).click();
  await page.getByRole("button", { name: "Filters", exact: true }).click();

  // What is moved shows in the namespace that is chosen, and a failure there is told.
  await call(token, "PUT", "/v1/stores/self/memories/inn%2Flake?namespace=trips", { value: "The inn at the lake." });
  await tree.getByRole("button", { name: "trips" }).click();
  await page.getByRole("checkbox", { name: "Select inn/lake" }).click();
  const selection = page.getByRole("region", { name: "Selection" });
  await selection.getByRole("button", { name: "Move …" }).click();
  await selection.getByLabel("begin then with").fill("hotel/");
  await selection.getByRole("button", { name: "Move 1 memory" }).click();
  await sees("the new beginning", tree.getByRole("button", { name: "hotel/" }));
  await holds(async () => (await tree.getByRole("button", { name: "inn/" }).count()) === 0, "the tree shows a beginning that no key has");
  await selection.getByRole("button", { name: "Undo" }).click();
  await sees("the beginning that is back", tree.getByRole("button", { name: "inn/" }));
  const inside = /\/memories\?limit=1&namespace=trips/;
  await page.route(inside, (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: '{"title": "Not now"}' }));
  await tree.getByRole("button", { name: "All namespaces" }).click();
  await tree.getByRole("button", { name: "trips" }).click();
  await sees("why a namespace does not unfold", tree.getByText("Not now"));
  await look("tree-failed");
  await page.unroute(inside);
  await tree.getByRole("button", { name: "Try again" }).click();
  await sees("the namespace unfolded", tree.getByRole("button", { name: "inn/" }));

  // A long line neither widens the page nor takes long to draw.
  await tree.getByRole("button", { name: "trips" }).click();
  await page.locator("li", { hasText: "xxxx" }).locator(".open").click();
  await sees("the long line", page.getByRole("complementary").getByRole("button", { name: "Edit" }));
  await look("long-line");
  await page.keyboard.press("Escape");

  // What the pane tells, and what is searched of a text.
  await page.locator("li", { hasText: "seat/anna" }).locator(".open").click();
  const pane = page.getByRole("complementary");
  await sees("the code point in the pane", pane.getByText("U+202E"));
  await pane.getByText("Who may see this").click();
  await sees("why it may be seen", pane.getByRole("cell", { name: "its own store, and yours" }));
  await look("who");
  await pane.getByRole("button", { name: "Edit" }).click();
  await sees("what is searched", pane.getByRole("region", { name: "What is searched" }).getByText("seat/anna · seat"));
  await look("edit");
  await pane.getByLabel("Ends, in your time").fill("");
  await pane.getByRole("button", { name: "Save as a new version" }).click();
  await sees("the version without an end", pane.getByText("2, just now"));
  if (await pane.getByText("expires", { exact: true }).isVisible()) fail("an expiry that was cleared is still there");
  await page.emulateMedia({ colorScheme: "dark" });
  await look("memories-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await page.keyboard.press("Escape");

  // Selection: a range by the keyboard, what is done, and undone.
  await page.goto(`${url}/console/#/memories?prefix=dropped/`);
  await list.locator("li[data-row='0'] .open").focus();
  await page.keyboard.press("x");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await sees("three by the keyboard", page.getByText("3 selected"));
  await list.locator("li[data-row='5'] input").click({ modifiers: ["Shift"] });
  await sees("a range by the pointer", page.getByText("6 selected"));
  await holds(() => list.locator("li[data-row='5'] input").isChecked(), "the last of a range does not show that it is selected");
  await selection.getByRole("button", { name: "Tag …", exact: true }).click();
  await selection.getByLabel("Tags").fill("many");
  await look("selection");
  await selection.getByRole("button", { name: "Tag 6 memories" }).click();
  await sees("how many were tagged", selection.getByText("Tagged many: 6 memories."));
  await look("outcome");
  const taken = page.waitForRequest((r) => r.url().endsWith("memories:batch") && r.postDataJSON().items[0].op === "put");
  await selection.getByRole("button", { name: "Undo" }).click();
  if ((await taken).postDataJSON().items.some((item) => "ttl" in item)) fail("taking back a tag sets an expiry");
  await sees("that it was taken back", selection.getByText("Taken back: 6 memories."));

  await list.locator("li[data-row='0'] input").click();
  await list.locator("li[data-row='1'] input").click();
  const selected = await exported(selection.getByRole("button", { name: "Export selected" }));
  if (selected.length !== 2 || selected.some((e) => e.tags.length > 0)) fail("the export of the selection is not what was selected");
  await selection.getByRole("button", { name: "Move …" }).click();
  await selection.getByLabel("begin then with").fill("moved/");
  await selection.getByRole("button", { name: "Move 2 memories" }).click();
  await sees("how many were moved", selection.getByText("Moved: 2 memories."));
  await selection.getByRole("button", { name: "Undo" }).click();
  await sees("that they are back", list.getByText("dropped/0", { exact: true }));

  await list.locator("li[data-row='0'] input").click();
  await selection.getByRole("button", { name: "Expiry …" }).click();
  await selection.getByRole("button", { name: "Set the expiry of 1 memory" }).click();
  await sees("the expiry in its row", list.locator("li[data-row='0']").getByText("ends"));
  await page.getByRole("button", { name: "Select these 100" }).click();
  await selection.getByRole("button", { name: "Delete …" }).click();
  await selection.getByRole("button", { name: "Delete 100 memories" }).click();
  await sees("how many were deleted", selection.getByText("Deleted: 100 memories."));
  await selection.getByRole("button", { name: "Undo" }).click();
  await sees("that they were restored", selection.getByText("Restored: 100 memories."));

  // A value stays byte for byte, whatever else of its memory is changed.
  const written = '{"chat": 12345678901234567890,  "price": 1.10, "10": {"1": []}, "2": "a \\"} \\u00e4"}';
  const numbers = `${url}/v1/stores/self/memories/numbers`;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const holdsValue = (text, value, after) => {
    if (!text.includes(`"value":${value}`)) fail(`after ${after} a value is not what it was: ${text}`);
  };
  const stays = async (after, value = written) => holdsValue(await (await fetch(numbers, { headers })).text(), value, after);
  await fetch(numbers, { method: "PUT", headers, body: `{"value": ${written}}` });
  await page.goto(`${url}/console/#/memories?prefix=numbers`);
  const first = list.locator("li[data-row='0']", { hasText: "numbers" });
  await first.locator("input").click();
  await selection.getByRole("button", { name: "Tag …", exact: true }).click();
  await selection.getByLabel("Tags").fill("exact");
  await selection.getByRole("button", { name: "Tag 1 memory" }).click();
  await sees("that the numbers were tagged", selection.getByText("Tagged exact: 1 memory."));
  await stays("tagging");
  await selection.getByRole("button", { name: "Undo" }).click();
  await sees("that the tag was taken back", selection.getByText("Taken back: 1 memory."));
  await stays("untagging");
  await first.locator("input").click();
  holdsValue(await saved(selection.getByRole("button", { name: "Export selected" })), written, "an export");
  await first.locator(".open").click();
  await sees("the whole number", pane.getByRole("region", { name: "Value" }).getByText("12345678901234567890"));
  await pane.getByRole("button", { name: "Edit" }).click();
  await pane.getByLabel("Description").fill("Two numbers");
  await pane.getByRole("button", { name: "Save as a new version" }).click();
  await sees("the version with the description", pane.getByText("4, just now"));
  await stays("describing");
  await pane.getByRole("button", { name: "Edit" }).click();
  const json = pane.getByLabel("JSON");
  await json.fill((await json.inputValue()).replace("1.10", "1.20"));
  await pane.getByRole("button", { name: "Save as a new version" }).click();
  await sees("the other number", pane.getByRole("region", { name: "Value" }).getByText("1.20"));
  await stays("editing", '{"chat":12345678901234567890,"price":1.20,"10":{"1":[]},"2":"a \\"} ä"}');
  await page.keyboard.press("Escape");

  // Of two that were deleted at a path, the newer one is restored first.
  for (const value of ["the earlier text", "the later text"]) {
    await call(token, "PUT", "/v1/stores/self/memories/twice", { value });
    await call(token, "DELETE", "/v1/stores/self/memories/twice");
  }
  await page.goto(`${url}/console/#/memories?trash=1`);
  const older = list.locator("li", { hasText: "the earlier text" });
  const newer = list.locator("li", { hasText: "the later text" });
  await sees("what is restored first", older.getByText("restore the newer one first"));
  if ((await older.getByRole("button", { name: "Restore" }).count()) > 0 || (await older.getByRole("checkbox").isEnabled())) fail("the older one of two can be restored");
  await page.getByRole("button", { name: /^Select all/ }).click();
  await sees("that the newer one alone is selected", page.getByText("1 selected"));
  await look("trash-twice");
  await newer.getByRole("button", { name: "Restore" }).click();
  await newer.waitFor({ state: "detached" });
  await sees("that the older one can be restored now", older.getByRole("button", { name: "Restore" }));
  if ((await call(token, "GET", "/v1/stores/self/memories/twice")).value !== "the later text") fail("another one was restored than the one that was chosen");

  // Who deletes another one meanwhile is told that it was restored in its place.
  await call(token, "DELETE", "/v1/stores/self/memories/twice");
  await older.getByRole("button", { name: "Restore" }).click();
  await sees("that another one was restored", page.getByRole("alert").getByText("Another one of its key, deleted after it, was restored"));
  await page.goto(`${url}/console/#/memories`);
}
