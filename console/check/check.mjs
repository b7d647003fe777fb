// Drives the console in a real browser, against a real server: the main path of each
// screen, with the keyboard where it has keys. Fails on violations that axe finds, on
// what the content security policy refuses, on errors of the page, and on text of a
// memory that is more than text.
//
// The second token is of an agent that buys, the third has the scope platform.
//
//   node check.mjs URL TOKEN BUYER PLATFORM CHROMIUM [FOLDER for screenshots]
import { createRequire } from "node:module";
import path from "node:path";

import { asAgent, cells, languages, large } from "./access.mjs";
import { apiKeys } from "./apikeys.mjs";
import { askStates, paying } from "./ask.mjs";
import { entries } from "./entries.mjs";
import { frame } from "./frame.mjs";
import { checkHealth } from "./health.mjs";
import { keyboard } from "./keyboard.mjs";
import { checkLanguages } from "./languages.mjs";
import { memories } from "./memories.mjs";
import { refusals } from "./refused.mjs";
import { runs } from "./runs.mjs";
import { selling } from "./sell.mjs";
import { patience, settler } from "./settled.mjs";
import { settings } from "./settings.mjs";
import { suggested, elsewhere } from "./suggested.mjs";
import { writing } from "./writing.mjs";

const [url, token, buyer, platform, chromiumPath, folder] = process.argv.slice(2);
const require = createRequire(path.join(process.cwd(), "node_modules/"));
const { chromium } = require("playwright-core");
const axe = require.resolve("axe-core/axe.min.js");

const failures = [];
const fail = (what) => failures.push(what);

const hostile = `<img src=x onerror="document.title='broken out'"><script>document.title='broken out'</script> \u202Egnissap\u2066 ${"long ".repeat(12_000)}`;

async function call(as, method, path, body) {
  const a = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${as}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!a.ok) throw new Error(`${method} ${path}: status ${a.status}`);
  return a.status === 204 ? null : a.json();
}

const put = (key, value) => call(token, "PUT", `/v1/stores/self/memories/${encodeURIComponent(key)}?wait=indexed`, value);

await put("diet/ben", { value: "Ben is allergic to peanuts and carries an adrenaline pen.", tags: ["food"], type: "user" });
await put("diet/ben", { value: "Ben is allergic to peanuts and cashews, and carries an adrenaline pen.", tags: ["food"], type: "user" });
await put("train/seat", { value: "Anna likes to sit by the window, facing forward.", type: "user" });
await put("hostile", { value: hostile, tags: ["<script>alert(1)</script>"], description: "<img src=x onerror=\"document.title='broken out'\">" });
await call(token, "PUT", "/v1/stores/self/memories/tickets?namespace=travel&wait=indexed", { value: "Two tickets for the night train.", type: "project" });

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"], timeout: patience });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, permissions: ["clipboard-read", "clipboard-write"] });
context.setDefaultTimeout(patience);
const page = await context.newPage();
const settled = settler(page);
page.on("pageerror", (e) => fail(`an error of the page: ${e.message}`));
page.on("console", (m) => m.type() === "error" && !/status of (4|503)|ERR_INTERNET_DISCONNECTED/.test(m.text()) && fail(`on the browser's console: ${m.text()}`));
page.on("request", (r) => !r.url().startsWith(url) && !r.url().startsWith("data:") && !r.url().startsWith("blob:") && fail(`a request to another host: ${r.url()}`));
await page.addInitScript(() => addEventListener("securitypolicyviolation", (e) => console.error(`refused by the policy: ${e.violatedDirective} ${e.blockedURI}`)));

async function look(name) {
  await settled({ answers: false });
  // The page's policy allows no script but its own; evaluate is the browser's.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(require("node:fs").readFileSync(axe, "utf8"));
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(() => window.axe.run());
    for (const v of found.violations) fail(`${name}, ${colorScheme}: ${v.id}: ${v.help}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
  }
  if ((await page.title()).includes("broken out")) fail(`${name}: the text of a memory ran`);
  for (const width of [320, 480, 801, 1024, 2560]) {
    await page.setViewportSize({ width, height: 800 });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) fail(`${name}: ${over} px too wide on a screen of ${width} px`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

// After a failure, which says enough, the next ones are waited for less long.
const limit = () => (failures.length === 0 ? patience : 10_000);

const sees = async (what, locator) => {
  try {
    await locator.first().waitFor({ timeout: limit() });
  } catch {
    fail(`${what} is not there`);
  }
};

// Waits until test() holds, for what follows a key or a click at once, but not in its event.
const holds = async (test, otherwise) => {
  for (const until = Date.now() + limit(); !(await test()); ) {
    if (Date.now() > until) return fail(otherwise);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
};

await page.goto(`${url}/console/`);
await sees("the sign-in", page.getByRole("heading", { name: "Who is looking?" }));
await look("sign-in");
await page.getByLabel("Token or API key").fill("no token");
await page.keyboard.press("Enter");
await sees("the refusal of a bad token", page.getByRole("alert"));
await page.getByLabel("Token or API key").fill(token);
await page.keyboard.press("Enter");
await sees("the empty screen", page.getByRole("heading", { name: "Ask what was remembered" }));
await suggested({ page, look, sees, fail });
await look("empty");

await page.keyboard.press("/");
await page.keyboard.type("what must I not cook for Ben?");
await page.keyboard.press("Enter");
await sees("the hit", page.locator("li.hit", { hasText: "adrenaline pen" }));
await sees("a marked word", page.locator("mark", { hasText: "Ben" }));
await holds(() => page.url().includes("q=what"), "the address does not hold the question");
if (page.url().includes(token)) fail("the address holds the token");
await page.keyboard.press("r");
await sees("the judgement", page.getByText("1 judged"));
await sees("the steps of the search", page.getByRole("rowheader", { name: "embed" }));
await page.getByRole("button", { name: "1 judged" }).click();
await sees("what was judged", page.getByRole("region", { name: "What was judged" }).getByText("diet/ben"));
await look("ask");
await page.getByRole("button", { name: "1 judged" }).click();

await page.getByText("Why not this one?").first().click();
await page.getByLabel("Key", { exact: true }).fill("train/none");
await page.getByRole("button", { name: "Explain" }).click();
await sees("why not", page.getByText("no such entry"));
await page.getByRole("button", { name: "Options" }).click();
await page.getByLabel("limit").fill("2");
await page.getByRole("button", { name: "Compare" }).click();
await sees("the option as a chip", page.getByRole("list", { name: "Options of the right" }).getByText("rrf"));
await sees("the second column", page.getByRole("group", { name: "Right" }));
await page.locator(".answers > svg path").first().waitFor({ state: "attached" }).catch(() => fail("no line joins the same hits"));
await look("compare");

await page.locator("li.hit button.name").first().click();
await sees("the entry", page.getByRole("complementary").getByRole("button", { name: "Edit" }));
await page.getByText("History").click();
await page.getByRole("button", { name: "Version 1" }).click();
await sees("the difference", page.locator(".diff .gone"));
await look("entry");
await page.keyboard.press("Escape");

await page.getByRole("search").getByRole("textbox").fill("what is long, long and egnissap onerror?");
await page.keyboard.press("Enter");
await sees("the hostile hit", page.locator("li.hit", { hasText: "onerror" }));
await look("ask-hostile");
await elsewhere({ page, look, sees, fail, url, token });
await askStates({ page, context, look, sees, holds, fail, url, call, token, platform });

await page.getByRole("link", { name: "Memories" }).click();
await sees("the list", page.locator("li", { hasText: "train/seat" }));
await look("memories");
await page.locator("li", { hasText: "hostile" }).getByRole("button").first().click();
await sees("the hostile entry", page.getByRole("complementary").getByText("onerror").first());
await look("hostile");
await page.keyboard.press("Escape");
await page.locator("li", { hasText: "train/seat" }).getByRole("button").first().click();
await page.getByRole("button", { name: "Edit" }).click();
await page.getByLabel("Text").fill("Anna likes the aisle.");
await page.getByRole("button", { name: "Save as a new version" }).click();
await sees("the new version", page.getByRole("complementary").getByText("Anna likes the aisle."));
await page.getByRole("button", { name: "Delete" }).click();
await page.getByRole("button", { name: "Delete it?" }).click();
await sees("the list without it", page.getByText(/^\d+ memor/));
await page.getByRole("button", { name: "Trash" }).click();
await sees("the trash", page.locator("li", { hasText: "train/seat" }));
await page.getByRole("button", { name: "Restore" }).first().click();
await sees("the empty trash", page.getByRole("heading", { name: "The trash is empty" }));
await memories({ page, look, sees, holds, fail, url, call, token });
await entries({ page, settled, look, sees, holds, fail, url, call, token });
await writing({ page, look, sees, holds, fail, url, call, token });
await page.goto(`${url}/console/#/memories?store=nobody-shares-this`);
await sees("which right is missing", page.getByRole("alert").getByText("It needs the level read on the store nobody-shares-this."));
await sees("who gives it", page.getByRole("alert").getByText("mneme share --agent nobody-shares-this"));
await look("refused");

await page.getByRole("link", { name: "Access" }).click();
await sees("that nobody else has access", page.getByText("Nobody else may see your store"));
await look("access-empty");
await page.getByRole("button", { name: "Share", exact: true }).click();
await page.getByLabel("with agent").fill("guest");
await sees("what the grant allows", page.getByText("It cannot list or open."));
await page.getByLabel("who may").selectOption("read");
await page.locator("form").getByRole("button", { name: "Share" }).click();
await page.getByRole("button", { name: "read", exact: true }).click();
await sees("the grant", page.getByText("guest can search, list, open and export"));
await look("access");
await page.getByRole("button", { name: "End this grant" }).click();
await page.getByRole("button", { name: "End it now?" }).click();
await sees("that the grant has ended", page.getByText("Nobody else may see your store"));
await cells({ page, look, sees, holds, fail, call, token });
await languages({ page, look, sees, holds });
await large({ page, sees, fail });

await settings({ page, look, sees, fail, token });
await sees("that nothing is offered", page.getByText("Others can search your store for money"));
await page.getByRole("button", { name: "New offer" }).click();
await page.getByLabel("Title").fill("What Ben eats");
await page.getByLabel("A search, USD").fill("0.002");
await sees("what a search will cost", page.getByText("A search that finds 5 new memories costs .007 USD"));
await page.getByRole("button", { name: "Offer", exact: true }).click();
await sees("the offer", page.getByRole("heading", { name: "What Ben eats" }));
const me = await call(token, "GET", "/v1/account");
const shopper = await call(buyer, "GET", "/v1/account");
const { offers } = await call(token, "GET", "/v1/stores/self/offers");
await call(platform, "POST", `/v1/admin/accounts/${shopper.agent}/topup`, { amount: 1_000_000, reference: "console" });
await call(buyer, "POST", `/v1/offers/${offers[0].id}/accept`);
const { receipt } = await call(buyer, "POST", `/v1/offers/${offers[0].id}/search`, { query: "what must I not cook for Ben?" });
await page.reload();
await page.getByLabel("Token or API key").fill(token);
await page.keyboard.press("Enter");
await sees("the buyer", page.getByRole("cell", { name: shopper.agent }));
if (!(await page.getByText("Your account:").innerText()).includes(me.currency)) fail("the account has no currency");
await look("sell");
await page.getByLabel("Receipt").fill(receipt);
await page.getByRole("button", { name: "Check", exact: true }).click();
await sees("that the receipt is valid", page.getByText("This service signed it."));
await page.getByLabel("Receipt").fill(receipt.replace(/\.[A-Za-z0-9_-]{4}/, ".eyJh"));
await page.getByRole("button", { name: "Check", exact: true }).click();
await sees("that a changed receipt is not", page.getByText("Not valid."));
const forged = (change) => Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(receipt.split(".")[0], "base64url")), ...change })).toString("base64url") + receipt.slice(receipt.indexOf("."));
for (const [wrong, why] of [[forged({ kid: "of-another-service" }), "This service has no key of this name"], [forged({ typ: "JWT" }), "This is no receipt of a search."], ["not.a.receipt", "This is no receipt."], [`${receipt}.more`, "This is no receipt."]]) {
  await page.getByLabel("Receipt").fill(wrong);
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await sees(`why a receipt is not valid: ${why}`, page.getByText(why));
}
await selling({ page, look, sees, fail, receipt, offer: offers[0].id, call, token });
await page.getByRole("button", { name: "Withdraw" }).click();
await page.getByRole("button", { name: /^Withdraw it/ }).click();
await sees("the withdrawn offer", page.getByText(/^withdrawn, made/));

await runs({ page, look, sees, fail });
await frame({ page, look, sees, fail, token });

const signIn = async (as) => {
  await page.reload();
  await page.getByLabel("Token or API key").fill(as);
  await page.keyboard.press("Enter");
};
await checkHealth({ page, context, signIn, token, platform, look, sees, fail, url });
await keyboard({ page, url, settled, sees, holds, fail });
await paying({ page, url, signIn, buyer, platform, look, sees, holds, fail, call });
await refusals({ page, url, signIn, token, buyer, platform, look, sees, fail, call });
await apiKeys({ page, url, signIn, token, platform, look, sees, holds, fail, call });
await asAgent({ page, signIn, token, platform, look, sees, call });

await page.keyboard.press("?");
await sees("the keys", page.getByRole("dialog"));
await page.keyboard.press("Escape");
await page.getByRole("button", { name: /^Light or dark/ }).click();
await page.getByRole("button", { name: /^Light or dark/ }).click();
await page.getByRole("link", { name: "Ask" }).click();
await look("dark");

await context.setOffline(true);
await page.getByRole("textbox").first().fill("anything");
await page.keyboard.press("Enter");
await sees("that the service does not answer", page.getByText("The service does not answer"));

await checkLanguages({ browser, url, token, platform, sees, fail, folder });

await browser.close();
for (const failure of failures) console.error(failure);
console.log(failures.length === 0 ? "the console does what it should in a browser" : `${failures.length} failures`);
process.exit(failures.length === 0 ? 0 : 1);
