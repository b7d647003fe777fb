// Where the visitor's own level comes from, the filters, and a grant that is made and
// changed in its cell.
export async function cells({ page, look, sees, holds, fail, call, token }) {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.getByLabel("with agent").fill("guest");
  await page.locator("form").getByRole("button", { name: "Share" }).first().click();
  const own = page.getByRole("button", { name: "readwrite", exact: true });
  await own.focus();
  await sees("where the own level comes from", page.getByRole("tooltip").getByText("own: this is your store"));
  await look("access-chain");
  await own.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const grant = page.getByRole("region", { name: "Grant" });
  await sees("the cell's grant", grant.getByText("guest can search: at most 10 hits an answer"));
  await grant.getByLabel("change to").selectOption("readwrite");
  await sees("what it will allow", grant.getByText("With this: guest can search, list, open, write, rename and share."));
  await look("access-cell");
  await page.keyboard.press("Escape");
  await grant.waitFor({ state: "detached" });
  await holds(() => page.evaluate(() => document.activeElement?.matches("[data-cell]")), "the closed cell does not have the focus");
  await page.keyboard.press("Enter");
  await grant.getByLabel("change to").selectOption("readwrite");
  await grant.getByRole("button", { name: "Change this grant" }).click();
  await sees("the changed level", page.locator('[data-cell="0:1"]', { hasText: "readwrite" }));
  await page.getByRole("combobox", { name: "filter by agent" }).fill("nobody");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "filter by agent" }).blur();
  await sees("that the filter leaves nobody", page.getByText("No agent has “nobody” in its name."));
  await holds(() => page.url().includes("agent=nobody"), "the address does not hold the filter");
  await page.getByRole("button", { name: "Show all" }).click();

  // Another level does not move the end, which the days show rounded.
  const grantOf = (of, method, body) => call(token, method, `/v1/stores/self/grants${of}`, body);
  const end = async () => Date.parse((await grantOf("", "GET")).grants.find((g) => g.grantee === "guest").expires_at);
  await grantOf("/guest", "PUT", { level: "read", ttl: 86_400 + 430 });
  const before = await end();
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByRole("link", { name: "Access" }).click();
  await page.locator('[data-cell="0:1"]', { hasText: /^read$/ }).click();
  await grant.getByLabel("change to").selectOption("readwrite");
  await grant.getByRole("button", { name: "Change this grant" }).click();
  await sees("the level alone changed", page.locator('[data-cell="0:1"]', { hasText: "readwrite" }));
  const moved = ((await end()) - before) / 1000;
  if (Number.isNaN(moved) || Math.abs(moved) > 100) fail(`a new level moves the end of a grant by ${moved} s`);
  await page.locator('[data-cell="0:1"]').click();
  await page.getByRole("button", { name: "End this grant" }).click();
  await page.getByRole("button", { name: "End it now?" }).click();
  await sees("that the grant has ended", page.getByText("Nobody else may see your store"));
}

// The models of the visitor's own store are told with why, chosen, and refused.
export async function languages({ page, look, sees, holds }) {
  const choice = page.getByLabel("language of console");
  await sees("why a model reads the store", page.getByRole("region", { name: "Languages" }).getByText("Nothing in it has needed the multilingual model yet."));
  await choice.selectOption("multilingual");
  await sees("what was chosen", page.getByText("Multilingual was chosen: the multilingual model reads every entry."));
  await look("access-language");
  await page.route("**/v1/stores/console/language", (route) => route.fulfill({ status: 403, contentType: "application/problem+json", json: { type: "about:blank", title: "Forbidden", status: 403, code: "forbidden" } }));
  await choice.selectOption("english");
  await sees("that the choice is refused", page.getByRole("alert"));
  await holds(async () => (await choice.inputValue()) === "multilingual", "a refused choice stays selected");
  await page.unroute("**/v1/stores/console/language");
  await choice.selectOption("auto");
  await sees("the choice of the beginning", page.getByRole("region", { name: "Languages" }).getByText(/^(Nothing in it has needed|Its entries in other languages)/)); // it may have been read meanwhile
}

// 200 agents on 50 stores: the heads stay in sight, and the arrows reach every cell.
export async function large({ page, sees, fail }) {
  const names = (n, of) => Array.from({ length: n }, (_, i) => `${of}-${String(i).padStart(3, "0")}`);
  const long = "an-agent-of-a-hundred-and-twenty-eight-characters-".repeat(3).slice(0, 128);
  const agents = [...names(199, "agent"), long];
  const store_id = (route) => decodeURIComponent(new URL(route.request().url()).pathname.split("/")[3]);
  await page.route("**/v1/stores", (route) => route.fulfill({ json: { stores: [{ store_id: "console", kind: "self", level: "readwrite" }, ...names(49, "store").map((store_id) => ({ store_id, kind: "grant", level: "readwrite" }))] } }));
  await page.route("**/v1/stores/*/grants", (route) => route.fulfill({ json: { grants: ["console", ...agents].filter((_, i) => i === 0 || (i + store_id(route).length + Number(store_id(route).slice(-3) || 0)) % 3 === 0).map((grantee) => ({ store_id: store_id(route), grantee, level: "read", max_label: "PUBLIC", maker: grantee === "console" ? "agent-198" : store_id(route), by_platform: false, created_at: "2026-01-01T00:00:00Z" })) } }));
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByRole("link", { name: "Access" }).click();
  await sees("the last store", page.getByRole("rowheader", { name: "store-048" }));
  const matrix = page.getByRole("region", { name: "Stores and agents" });
  await matrix.evaluate((e) => e.scrollTo(4000, 600));
  const near = await matrix.evaluate((e) => e.querySelector("thead th").getBoundingClientRect().top - e.getBoundingClientRect().top + Math.abs(e.querySelector("tbody th").getBoundingClientRect().left - e.getBoundingClientRect().left));
  if (near > 2) fail("the heads of a large table leave the sight");
  await page.locator('[data-cell="49:0"]').focus();
  await sees("a chain that is told in part", page.getByRole("tooltip").getByText("read by a grant by agent-198"));
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await sees("the pane within sight", page.getByRole("region", { name: "Grant" }));
  await page.keyboard.press("Escape");
  await page.unroute("**/v1/stores");
  await page.unroute("**/v1/stores/*/grants");
}

// What another agent may reach, for visitors with the scope platform and without.
export async function asAgent({ page, signIn, token, platform, look, sees, call }) {
  await page.getByRole("link", { name: "Access" }).click();
  await signIn(token);
  await sees("who is told what others reach", page.getByText("is told to tokens with the scope platform"));
  await call(token, "PUT", "/v1/stores/self/grants/onlooker", { level: "search" });
  await signIn(platform);
  await page.getByLabel("agent", { exact: true }).fill("onlooker");
  await page.getByLabel("at taint").selectOption("INTERNAL");
  await page.getByRole("button", { name: "See" }).click();
  await sees("what the agent reaches", page.getByText("reaches 2 stores."));
  await sees("where its level comes from", page.getByRole("row", { name: /console search.*a grant by console/ }));
  await look("as-agent");
  await page.getByLabel("agent", { exact: true }).fill("a b");
  await page.getByRole("button", { name: "See" }).click();
  await sees("that this is no id", page.getByRole("alert"));
}
