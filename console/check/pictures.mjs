// Takes the pictures of the documentation, of the sample memories, light and dark.
//
//   node pictures.mjs URL TOKEN CHROMIUM FOLDER
//
// The token is one of the agent iris with the scope platform, on a server into which examples/samples/memories.jsonl was
// imported.
import { createRequire } from "node:module";
import path from "node:path";

import { patience, settler } from "./settled.mjs";

const [url, token, chromiumPath, folder] = process.argv.slice(2);
const require = createRequire(path.join(process.cwd(), "node_modules/"));
const { chromium } = require("playwright-core");

const call = (method, target, body) =>
  fetch(url + target, { method, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: JSON.stringify(body) });
await call("PUT", "/v1/stores/self/grants/jonas", { level: "read" });
await call("PUT", "/v1/stores/self/grants/travel-desk", { level: "search" });
const questions = ["what does Yusuf read?", "who meets on Thursdays?", "where are the winter tyres?", "which language with Lena?"];
for (const query of [...questions, ...questions, ...questions]) await call("POST", "/v1/search", { query }); // the first one loads the model

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"], timeout: patience });
const views = [
  ["ask", "#/ask?q=what%20must%20I%20not%20cook%20for%20Ben%3F", async (page) => {
    await page.locator("li.hit").first().waitFor();
  }],
  ["memories", "#/memories", async (page) => {
    await page.locator("li", { hasText: "diet/ben" }).getByRole("button").first().click();
    await page.getByRole("complementary").getByRole("button", { name: "Edit" }).waitFor();
  }],
  ["access", "#/access", (page) => page.getByRole("table").getByText("travel-desk").filter({ visible: true }).first().waitFor()],
  ["health", "#/health", (page) => page.getByText("Everything answers").first().waitFor()],
];
for (const colorScheme of ["light", "dark"]) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 720 }, colorScheme, reducedMotion: "reduce" });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const settled = settler(page);
  await page.goto(`${url}/console/`);
  await page.getByLabel("Token or API key").fill(token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Ask what was remembered" }).waitFor();
  for (const [name, address, ready] of views) {
    await page.keyboard.press("Escape"); // closes what the view before opened
    await page.evaluate((to) => (location.hash = to), address);
    await ready(page);
    await page.setViewportSize({ width: 1200, height: name === "health" ? 1000 : 720 }); // to the steps of a search
    await settled();
    await page.screenshot({ path: path.join(folder, `console-${name}-${colorScheme}.png`) });
  }
  await context.close();
}
await browser.close();
