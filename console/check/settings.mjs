import { readFile } from "node:fs/promises";

// Settings: a backup, and the way to a first offer while the bar has none. See apikeys.mjs
// for the keys.
export async function settings({ page, look, sees, fail, token }) {
  if ((await page.getByRole("link", { name: "Sell", exact: true }).count()) > 0) fail("selling is in the bar without an offer");
  await page.getByRole("link", { name: "Settings" }).click();
  await sees("the backup", page.getByRole("heading", { name: "Backup" }));
  await look("settings");

  const broken = "**/v1/stores/self/export";
  await page.route(broken, (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: '{"title": "Not now"}' }));
  const download = page.getByRole("button", { name: "Download a backup" });
  await download.click();
  await sees("why there is no backup", page.getByRole("alert").getByText("Not now"));
  await look("settings-failed");
  await page.unroute(broken);
  const saves = page.waitForEvent("download");
  await page.getByRole("button", { name: "Try again" }).click();
  const file = await saves;
  const agent = JSON.parse(Buffer.from(token.split(".")[1], "base64url")).sub;
  if (!new RegExp(`^mneme-${agent}-\\d{4}-\\d\\d-\\d\\d\\.ndjson$`).test(file.suggestedFilename())) fail(`the backup is called ${file.suggestedFilename()}`);
  const entries = (await readFile(await file.path(), "utf8")).trimEnd().split("\n").map((line) => JSON.parse(line));
  if (!entries.some((e) => e.key === "diet/ben") || entries.find((e) => e.key === "written/here")?.occurred_at !== "2024-06-03") fail("the backup lacks what was written");
  await sees("how it is brought back", page.getByText(`mneme import --agent ${agent} --store ${agent} ${file.suggestedFilename()}`));

  await page.getByRole("link", { name: "Make a first offer" }).click();
}
