// Runs the TypeScript client in a real browser, in a page at the server's own origin, with
// the files of the installed package as they are.
//
//   node browser.mjs URL TOKEN CHROMIUM FOLDER
//
// FOLDER has node_modules with mneme-client; the working directory one with playwright-core.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const [url, token, executablePath, folder] = process.argv.slice(2);
const { chromium } = createRequire(path.join(process.cwd(), "node_modules/"))("playwright-core");

const at = "/of-the-test/";
const page = `<!doctype html><script type="importmap">{"imports": {
  "mneme-client": "${at}mneme-client/dist/index.js", "openapi-fetch": "${at}openapi-fetch/dist/index.mjs"}}</script>`;

// In the page.
async function use(token) {
  const { Mneme, NotFound } = await import("mneme-client");
  const memory = new Mneme(location.origin, token);
  const namespace = crypto.randomUUID();
  await memory.put("seat", "Anna prefers the window seat.", { namespace, wait: true });
  const { etag } = await memory.get("seat", { namespace });
  const said = [(await memory.search({ query: "Where does Anna sit?", namespace })).hits.map((hit) => hit.key)];
  const lines = [];
  for await (const line of memory.export({ where: { namespace: { eq: namespace } } })) lines.push(line.value);
  said.push(lines);
  await memory.delete("seat", { namespace, ifMatch: etag });
  said.push(await memory.get("seat", { namespace }).catch((error) => error instanceof NotFound && error.status));
  return said;
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"], timeout: 180_000 });
try {
  const tab = await browser.newPage();
  tab.setDefaultTimeout(180_000);
  const errors = [];
  tab.on("pageerror", (error) => errors.push(error.message));
  await tab.route(`**${at}**`, async (route) => {
    const file = new URL(route.request().url()).pathname.slice(at.length);
    if (file === "") return route.fulfill({ contentType: "text/html", body: page });
    return route.fulfill({ contentType: "text/javascript", body: await readFile(path.join(folder, "node_modules", file)) });
  });
  await tab.goto(url + at);
  const said = JSON.stringify(await tab.evaluate(use, token));
  if (said !== '[["seat"],["Anna prefers the window seat."],404]' || errors.length) throw new Error(`the page says ${said}; ${errors.join("; ")}`);
  console.log("the client puts, searches, exports and deletes in a browser");
} finally {
  await browser.close();
}
