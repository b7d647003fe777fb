// Every language of the console: each is loaded by the browser's language, says so, and
// leaves no English text that it has a translation of; and the switch, which is remembered.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { patience, settler } from "./settled.mjs";

const require = createRequire(path.join(process.cwd(), "node_modules/"));
const ts = require("typescript");

// The languages as browsers name them, the catalogue of each, and its name for the screen Ask.
const languages = [
  ["en-GB", "en", "en"],
  ["de-AT", "de", "de"],
  ["es-MX", "es", "es"],
  ["fr-CA", "fr", "fr"],
  ["zh-CN", "zh", "zh-Hans"],
  ["ja-JP", "ja", "ja"],
];

async function catalogueOf(name) {
  const source = fs.readFileSync(new URL(`../src/i18n/${name}.ts`, import.meta.url), "utf8");
  const { outputText } = ts.transpileModule(source, { compilerOptions: { module: "ESNext", target: "ES2023" } });
  return (await import(`data:text/javascript;base64,${Buffer.from(outputText).toString("base64")}`))[name];
}

const placeholders = (message) => [...message.matchAll(/\{([^{}|]+)/g)].map((m) => m[1]).sort().join();

// patternOf is what a page shows of a message: a placeholder is anything.
function patternOf(message) {
  const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${message.replaceAll("`", "").split(/\{[^{}]+\}/).map(literal).join(".+")}$`, "u");
}

// textsOf are the texts of the console itself that the page shows. What is a name of the
// API, code, of the service or of others has "…" in its place.
const textsOf = () => {
  const others = ".mono, .foreign, code, pre, kbd, option[lang], :not(html)[lang=en], [translate=no]";
  const whole = "p, dd, dt, th, td, li, label, button, summary, span, strong, h1, h2, h3, figcaption, caption, option, div[role], [role=option]";
  const textOf = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE) return "";
    if (node.matches(`${others}, input, select, textarea, time, svg`)) return "…";
    return [...node.childNodes].map(textOf).join("");
  };
  const found = [document.title.replace(/ · mneme$/, "")];
  for (const e of document.body.querySelectorAll("*")) {
    if (e.closest(others) || !e.checkVisibility()) continue;
    for (const name of ["aria-label", "title", "placeholder"]) if (e.hasAttribute(name)) found.push(e.getAttribute(name));
    for (const n of e.childNodes) if (n.nodeType === Node.TEXT_NODE) found.push(n.data);
    if (e.matches(whole)) found.push(textOf(e));
  }
  return [...new Set(found.map((t) => t.trim().replace(/\s+/g, " ")).filter((t) => /\p{L}/u.test(t)))];
};

// The API's own names, which the editors of options have as they are.
const names = new Set(["tags", "limit"]);

// fits fails if a view is wider than the screen.
async function fits(page, view, folder, fail) {
  for (const width of [320, 801, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) fail(`${view}: ${over} px too wide on a screen of ${width} px`);
    if (folder) await page.screenshot({ path: path.join(folder, `${view}-${width}.png`) });
  }
}

export async function checkLanguages({ browser, url, token, platform, sees, fail, folder }) {
  const english = await catalogueOf("en");
  const report = fs.readFileSync(new URL("../../benchmarks/relevance/testdata/report.json", import.meta.url), "utf8");
  const told = [];
  for (const [locale, name, lang] of languages) {
    const catalogue = await catalogueOf(name);
    const t = (key) => catalogue[key];
    for (const key of Object.keys(english)) if (placeholders(english[key]) !== placeholders(catalogue[key] ?? "")) fail(`${name}: ${key} has other placeholders than in English`);
    const foreign = name === "en" ? [] : Object.entries(english).filter(([key, text]) => catalogue[key] !== text && /\p{L}{2}/u.test(text.replace(/\{[^{}]+\}/g, ""))).map(([key, text]) => [key, patternOf(text)]);
    const context = await browser.newContext({ locale, viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    page.on("pageerror", (e) => fail(`${name}: an error of the page: ${e.message}`));
    const loaded = [];
    page.on("request", (r) => /\/assets\/(de|es|fr|zh|ja)-/.test(r.url()) && loaded.push(/\/assets\/([a-z]+)-/.exec(r.url())[1]));
    const settled = settler(page);
    let seen = 0;

    const translated = async (view) => {
      await settled();
      for (const text of await page.evaluate(textsOf)) {
        seen++;
        if (text in english || /\{[a-z]\w*(\||\})/i.test(text)) fail(`${name}, ${view}: “${text}” is a key, or has a placeholder without a value`);
        const of = foreign.find(([, pattern]) => pattern.test(text));
        if (of && !names.has(text.replaceAll(/[… ]/g, ""))) fail(`${name}, ${view}: “${text}” is English, of ${of[0]}`);
      }
      await fits(page, `${name}-${view}`, folder, fail);
    };

    await page.goto(`${url}/console/`);
    await sees(`${name}: the sign-in`, page.getByRole("heading", { name: t("signin.title") }));
    if ((await page.evaluate(() => document.documentElement.lang)) !== lang) fail(`${name}: the page says that it is in another language`);
    await translated("sign-in");
    await page.getByLabel(t("signin.token")).fill(platform);
    await page.keyboard.press("Enter");
    await sees(`${name}: the empty screen`, page.getByRole("heading", { name: t("ask.title") }));
    await translated("empty");

    const go = async (view, hash, ready) => {
      await page.keyboard.press("Escape");
      await page.evaluate((to) => (location.hash = to), hash);
      await sees(`${name}: ${view}`, ready);
      await translated(view);
    };
    const button = (key) => page.getByRole("button", { name: t(key), exact: true });
    await page.getByRole("button", { name: t("app.palette") }).click();
    await translated("palette");
    await page.keyboard.press("Escape");
    await button("keys.title").click();
    await translated("keys");
    await page.keyboard.press("Escape");
    await go("ask-nothing", "#/ask?q=zqxv", page.getByText(t("results.nothing")));
    await page.getByRole("button", { name: t("ask.options"), exact: true }).click();
    await button("where.add").click();
    await translated("ask-options");
    await go("memories-empty", "#/memories", page.getByRole("heading", { name: t("memories.none") }));
    await go("access", "#/access", button("action.share"));
    await button("action.share").click();
    await translated("access-share");
    await go("sell", "#/sell", button("offer.new"));
    await button("offer.new").click();
    await page.locator("details summary").first().click();
    await translated("sell-offer");
    await go("settings", "#/settings", page.getByRole("heading", { name: t("settings.keys") }));
    await page.getByRole("button", { name: t("settings.download") }).click();
    await sees(`${name}: the backup`, page.getByText(t("settings.restore")));
    await translated("settings-saved");
    await page.getByLabel(t("settings.keyFor")).fill(name);
    await button("settings.keyMake").click();
    await sees(`${name}: the key that was made`, page.getByText(t("settings.keyOnce")));
    await translated("settings-key");
    await button("settings.keyDone").click();
    const made = page.locator(".keys li").filter({ has: page.locator("strong", { hasText: new RegExp(`^${name}$`) }) }).first();
    await made.getByRole("button").click();
    await translated("settings-revoke");
    await made.getByRole("button", { name: t("settings.keyRevokeNow") }).click();
    await sees(`${name}: that the key is revoked`, page.getByText(t("settings.keyRevoked").replace("{name}", name), { exact: true }));
    await page.locator("details summary").last().click();
    await translated("settings-keys");
    await go("health", "#/health", page.getByText(t("health.fine")));
    for (const summary of await page.locator("details:not(.operating) > summary").all()) await summary.click();
    await translated("health-open");
    await go("runs-empty", "#/runs", page.getByRole("heading", { name: t("runs.title") }));
    const file = (of, text) => page.locator("input[type=file]").setInputFiles({ name: of, mimeType: "application/json", buffer: Buffer.from(text) });
    await file("empty.json", "");
    await sees(`${name}: why a report is not opened`, page.getByText(t("report.empty")));
    await translated("runs-refused");
    await file("before.json", report);
    await sees(`${name}: a report`, page.getByRole("heading", { name: "before.json" }));
    for (const summary of await page.locator("main summary").all()) await summary.click();
    await translated("runs");

    // What another token sees: memories, a hit, an entry, what is refused; the service away.
    await page.reload();
    await page.getByLabel(t("signin.token")).fill(token);
    await page.keyboard.press("Enter");
    await go("ask", "#/ask?q=Ben", page.locator("li.hit").first());
    await page.locator("details.whynot summary").click();
    await page.getByRole("button", { name: t("ask.compare"), exact: true }).click();
    await sees(`${name}: the second column`, page.locator(".answers section").nth(1).locator("li.hit").first());
    await page.keyboard.press("r");
    await translated("compare");
    await page.locator("li.hit button.name").first().click();
    await sees(`${name}: the entry`, page.getByRole("complementary").getByRole("button", { name: t("action.edit"), exact: true }));
    for (const summary of await page.getByRole("complementary").locator("summary").all()) await summary.click();
    await translated("entry");
    await page.getByRole("complementary").getByRole("button", { name: t("action.edit"), exact: true }).click();
    await translated("edit");
    await go("memories", "#/memories", page.getByRole("region", { name: t("memories.list"), exact: true }).locator("li").first());
    await page.getByRole("region", { name: t("memories.list"), exact: true }).getByRole("checkbox").first().click();
    await button("bulk.deleteOf").click();
    await button("filters.title").click();
    await translated("memories-selected");
    await button("new.title").click();
    await page.getByRole("dialog").getByRole("button", { name: t("new.write") }).click();
    await sees(`${name}: what a new memory lacks`, page.getByText(t("new.noText")));
    await page.getByLabel(t("when.precision")).selectOption("month");
    await translated("new-memory");
    await page.keyboard.press("Escape");
    await go("trash", "#/memories?trash=1", page.getByText(t("memories.trashNote")));
    await go("settings-refused", "#/settings", page.getByText(t("settings.keysRefused")));
    await go("refused", "#/memories?store=nobody-shares-this", page.getByRole("alert"));
    await go("access-told", "#/access", page.getByText(t("access.platform")));
    await sees(`${name}: which models read the stores`, page.getByRole("region", { name: t("model.title"), exact: true }).getByRole("cell", { name: t("model.english") }).first());
    await page.locator(".own").first().focus();
    await translated("access-chain");
    await go("sell-offers", "#/sell", page.getByRole("article").first());
    await context.setOffline(true);
    await page.evaluate(() => (location.hash = "#/ask?q=offline"));
    await sees(`${name}: that the service is away`, page.getByText(t("failure.away")).first());
    await translated("offline");
    await context.setOffline(false);

    const wanted = name === "en" ? "" : name;
    if ([...new Set(loaded)].join() !== wanted) fail(`${name}: the catalogues ${loaded.join()} were loaded`);
    told.push(`${name} ${seen}`);
    await context.close();
  }
  console.log(`texts read by language: ${told.join(", ")}`);
  await switched({ browser, url, sees, fail });
}

// The switch changes the page at once, without a reload, and is remembered; a language that
// there is no catalogue of is passed over.
async function switched({ browser, url, sees, fail }) {
  const [german, japanese] = [await catalogueOf("de"), await catalogueOf("ja")];
  const context = await browser.newContext({ locale: "tlh" });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  await page.addInitScript(() => Object.defineProperty(navigator, "languages", { get: () => ["tlh", "de-CH", "fr"] }));
  await page.goto(`${url}/console/`);
  await sees("the first language that there is", page.getByRole("heading", { name: german["signin.title"] }));
  await page.getByLabel(german["signin.token"]).fill("kept");
  await page.getByLabel(german["language.switch"]).selectOption("ja");
  await sees("the language that is chosen", page.getByRole("heading", { name: japanese["signin.title"] }));
  if ((await page.getByLabel(japanese["signin.token"]).inputValue()) !== "kept") fail("the switch of the language loses what was typed");
  if ((await page.evaluate(() => document.documentElement.lang)) !== "ja") fail("the switch does not change the page's language");
  await page.reload();
  await sees("the language that is remembered", page.getByRole("heading", { name: japanese["signin.title"] }));
  await context.close();
}
