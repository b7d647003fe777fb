// The screen of relevance reports: a real one, two compared, refusals, and one of 10 MB.
import fs from "node:fs";

const report = fs.readFileSync(new URL("../../benchmarks/relevance/testdata/report.json", import.meta.url), "utf8");
const markup = `<img src=x onerror="document.title='broken out'">`;

// later is the report of a run in which one question is lost, and another was asked.
function later() {
  const changed = JSON.parse(report);
  const set = changed.sets[0];
  const leg = set.runs.findIndex((r) => r.name === "relevance");
  set.each.find((q) => q.ndcg_10[leg] > 0.5).ndcg_10[leg] = 0;
  set.each[set.each.length - 1].query = "a question that only this one has";
  set.runs[leg].metrics.ndcg_10 -= 0.01;
  changed.sets.push({ ...set, name: `another ${markup}` });
  return JSON.stringify(changed);
}

// large is a report of 10 MB.
function large() {
  const one = JSON.parse(report);
  const set = one.sets[0];
  const changes = set.changes[0];
  const change = changes.wins[0] ?? changes.losses[0];
  const score = (i) => ((i * 7919) % 1000) / 1000;
  set.each = Array.from({ length: 20_000 }, (_, i) => ({ query: `q${i}`, ndcg_10: set.runs.map((_, leg) => score(i + leg)) }));
  changes.losses = Array.from({ length: 6000 }, (_, i) => ({ ...change, query: `q${i}`, text: `Question ${i} ${markup}` }));
  return JSON.stringify(one);
}

export async function runs({ page, look, sees, fail }) {
  const file = (name, text) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });
  const choose = (...files) => page.getByLabel("Report", { exact: true }).setInputFiles(files);
  const close = async () => {
    while (await page.getByRole("button", { name: /^Close/ }).count()) await page.getByRole("button", { name: /^Close/ }).click();
  };

  await page.getByRole("link", { name: "Runs" }).click();
  await sees("what runs are for", page.getByRole("heading", { name: "Look at a relevance report" }));
  await look("runs-empty");

  for (const [name, text, why] of [
    ["empty.json", "", "It is empty."],
    ["page.html", "<!DOCTYPE html><p>", "It is a page, not JSON."],
    ["half.json", report.slice(0, 3000), "Its JSON breaks off before the end."],
    ["other.json", `{"hits": []}`, "not a report of mneme bench relevance"],
    ["edited.json", report.replace(/"mean": ?[0-9.e-]+/, `"mean": ${JSON.stringify(markup)}`), "is not a number"],
    ["q.trec", "q1 Q0 d1 1 3.5 mine\n", "run file in TREC's format"],
  ]) {
    await choose(file(name, text));
    await sees(`the refusal of ${name}`, page.getByRole("alert").filter({ hasText: why }));
  }
  await look("runs-refused");

  await choose(file("before.json", report));
  await sees("the report", page.getByRole("heading", { name: "before.json" }));
  if (await page.getByRole("alert").count()) fail("a refusal stays after a report was opened");
  await page.getByRole("button", { name: /^\d+ won/ }).click();
  await page.locator(".questions summary").first().focus();
  await page.keyboard.press("Enter");
  await sees("both rankings", page.locator(".both section").nth(1));
  await look("runs");

  // Dropped, as the second.
  const dropped = await page.evaluateHandle((text) => {
    const all = new DataTransfer();
    all.items.add(new File([text], "after.json", { type: "application/json" }));
    return all;
  }, later());
  await page.dispatchEvent("body", "dragenter", { dataTransfer: dropped });
  await sees("where to drop it", page.getByText("Drop it to compare it"));
  await page.dispatchEvent("body", "drop", { dataTransfer: dropped });
  await sees("the comparison", page.getByRole("heading", { name: "before.json → after.json" }));
  await sees("the question that moved", page.getByRole("button", { name: "1 worse" }));
  await sees("what cannot be compared", page.getByText("Not compared: 1 question"));
  await look("runs-compared");
  await close();

  const began = Date.now();
  await choose(file("large.json", large()));
  await sees("a large report", page.getByRole("heading", { name: "large.json" }));
  await page.getByLabel("Find").fill("Question 5999 ");
  await sees("one question of many", page.locator(".questions li", { hasText: "Question 5999" }));
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  if (nodes > 5000) fail(`a large report draws ${nodes} elements`);
  if (await page.title().then((t) => t.includes("broken out"))) fail("the text of a report ran");
  console.log(`a report of 10 MB: opened and searched in ${Date.now() - began} ms`);
  await close();
}
