// Runs the TypeScript client in a real browser, in a page at the server's own origin and in
// ones at two others, with the files of the installed package as they are. The server
// allows cors.origins http://app.localhost, and no other.
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
async function use([url, token]) {
  const { Mneme, NotFound } = await import("mneme-client");
  const memory = new Mneme(url, token, { retries: 0 });
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

// In the page of another origin: what it may read beside the client's calls.
async function look([url, token]) {
  const headers = { Authorization: `Bearer ${token}`, "X-Request-Id": "from-a-page" };
  const read = (path, init) => fetch(url + path, init).then((response) => response, () => "refused");
  const stores = await read("/v1/stores", { headers });
  const held = await read("/v1/stores", { headers: { ...headers, "If-None-Match": stores.headers.get("ETag") }, cache: "no-store" });
  const call = { method: "POST", headers: { ...headers, "Content-Type": "application/json", Accept: "application/json, text/event-stream" } };
  const mcp = await read("/mcp", { ...call, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' });
  const unnamed = await read("/v1/stores");
  return [
    stores.headers.get("X-Request-Id"), held.status, (await mcp.json()).result.tools.length > 0, unnamed.status,
    await read("/metrics"), await read("/readyz"), await read("/v1/console/session", { ...call, body: '{"code":"x"}' }),
  ];
}

// Chromium would ask its user whether a page from elsewhere may call this machine.
const local = "--disable-features=LocalNetworkAccessChecks";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", local], timeout: 180_000 });
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
  const done = '[["seat"],["Anna prefers the window seat."],404]';
  for (const origin of [url, "http://app.localhost"]) {
    await tab.goto(origin + at);
    const said = JSON.stringify(await tab.evaluate(use, [url, token]));
    if (said !== done || errors.length) throw new Error(`the page at ${origin} says ${said}; ${errors.join("; ")}`);
  }
  const seen = JSON.stringify(await tab.evaluate(look, [url, token]));
  if (seen !== '["from-a-page",304,true,401,"refused","refused","refused"]') throw new Error(`the page of another origin sees ${seen}`);
  await tab.goto(`http://evil.localhost${at}`);
  const refused = await tab.evaluate(use, [url, token]).then(() => "everything", (error) => error.message);
  if (!refused.includes("the connection failed")) throw new Error(`a page that is not configured gets ${refused}`);
  console.log("the client puts, searches, exports and deletes in a browser, from its server's origin and a configured one");
} finally {
  await browser.close();
}
