import { readFile } from "node:fs/promises";

// Import by dropping a file, its refusals, and export. The list has more rows than it draws.
export async function memories({ page, look, sees, fail }) {
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
  await sees("that Markdown needs the command", page.getByText("mneme import 'notes.md'"));
  await look("import-other");
  await page.getByRole("alert").getByRole("button", { name: "Close" }).click();

  const many = Array.from({ length: 600 }, (_, i) => JSON.stringify({ key: `dropped/${i}`, value: `Number ${i}.` }));
  many[449] = `{"key": "dropped/449"}`;
  await drop("some.ndjson", lines(many));
  const sums = page.getByRole("region", { name: "Import" }).getByRole("status");
  await sums.filter({ hasText: "Done" }).waitFor({ timeout: 60_000 });
  await sees("the sums of the import", sums.filter({ hasText: "600 lines read · 599 written · 0 unchanged · 1 refused" }));
  await sees("the number of the refused line", page.getByRole("region", { name: "Refused lines" }).getByRole("cell", { name: "450", exact: true }));
  await look("import");
  await page.getByRole("region", { name: "Import" }).getByRole("button", { name: "Close" }).click();

  const saves = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const exported = (await readFile(await (await saves).path(), "utf8")).trimEnd().split("\n");
  if (exported.filter((l) => JSON.parse(l).key.startsWith("dropped/")).length !== 599) fail(`the export has ${exported.length} lines`);

  await page.getByLabel("Key begins").fill("dropped/");
  await page.keyboard.press("Enter");
  await sees("the filtered list", page.locator("li", { hasText: "dropped/" }));
  const list = page.getByRole("region", { name: "List" });
  for (let i = 0; i < 40 && !(await page.getByText("599 memories", { exact: true }).isVisible()); i++) {
    await list.evaluate((e) => e.scrollTo(0, e.scrollHeight));
    await page.waitForTimeout(50);
  }
  await sees("that all are loaded", page.getByText("599 memories", { exact: true }));
  const drawn = await list.locator("li").count();
  if (drawn > 60) fail(`${drawn} rows of 599 are drawn`);
}
