// Reads the list of memories to its end and scrolls through it, in a store that has many:
// fails if more rows are drawn than are near the view, and tells how long frames took.
//
//   node scroll.mjs URL TOKEN CHROMIUM
import { createRequire } from "node:module";
import path from "node:path";

import { patience } from "./settled.mjs";

const [url, token, chromiumPath] = process.argv.slice(2);
const { chromium } = createRequire(path.join(process.cwd(), "node_modules/"))("playwright-core");
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"], timeout: patience });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
page.setDefaultTimeout(patience);
await page.goto(`${url}/console/#/memories`);
await page.getByLabel("Token or API key").fill(token);
await page.keyboard.press("Enter");
const list = page.getByRole("region", { name: "List" });
await list.locator("li").first().waitFor();
await list.locator(".open").first().focus();
const from = Date.now();
await page.keyboard.press("End");
await page.getByRole("button", { name: /^Select all/ }).waitFor({ timeout: 600_000 });
const total = await page.locator(".entries [role=status]").first().innerText();
console.log(`${total} read in ${((Date.now() - from) / 1000).toFixed(1)} s`);

const passed = await list.evaluate(async (e) => {
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  const end = e.scrollHeight - e.clientHeight;
  const frames = [];
  let drawn = 0;
  e.scrollTop = 0;
  await frame();
  let last = await frame();
  for (let i = 0; i <= 600; i++) {
    // The first half as a wheel scrolls, the second as the bar is dragged.
    e.scrollTop = i <= 300 ? i * 120 : ((i - 300) / 300) * end;
    const now = await frame();
    frames.push(now - last);
    last = now;
    drawn = Math.max(drawn, e.querySelectorAll("li").length);
  }
  await frame();
  const rows = [...e.querySelectorAll("li")].map((l) => Number(l.dataset.row));
  const told = (some) => {
    some.sort((a, b) => a - b);
    return `p50 ${some[some.length >> 1].toFixed(1)} ms, p99 ${some[Math.floor(some.length * 0.99)].toFixed(1)} ms, ${some.filter((f) => f > 25).length} of ${some.length} later than 25 ms`;
  };
  return { drawn, last: Math.max(...rows), wheel: told(frames.slice(0, 301)), bar: told(frames.slice(301)), memory: performance.memory?.usedJSHeapSize };
});
console.log(`frames by the wheel: ${passed.wheel}\nframes by the bar: ${passed.bar}\nat most ${passed.drawn} rows drawn; heap ${Math.round(passed.memory / 1e6)} MB`);
await browser.close();
const count = Number(total.replace(/\D/g, ""));
if (passed.drawn > 60 || passed.last !== count - 1) {
  console.error(`${passed.drawn} rows are drawn, the last is ${passed.last} of ${count}`);
  process.exit(1);
}
