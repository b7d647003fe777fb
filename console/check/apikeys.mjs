// API keys, as Settings shows them: to a token without the scope platform what to ask for, to
// the platform's the list, which is empty, cannot be loaded, has keys that are made and
// revoked, and has those that have ended.
export async function apiKeys({ page, url, signIn, token, platform, look, sees, holds, fail, call }) {
  const keys = "**/v1/admin/keys";
  const problem = (status, title, detail = "") => ({ status, contentType: "application/problem+json", body: JSON.stringify({ title, detail }) });
  const section = page.getByRole("region", { name: "API keys" });

  // Without the scope: no call is made, and the command is written.
  await page.goto(`${url}/console/#/settings`);
  await signIn(token);
  const me = JSON.parse(Buffer.from(token.split(".")[1], "base64url")).sub;
  await sees("what to ask for", section.getByText("by tokens with the scope platform"));
  await sees("the command that gives it", section.getByText(`mneme token --agent ${me} --scope platform`, { exact: true }));
  if (await section.getByRole("button", { name: "Make the key" }).count()) fail("a token without the scope may make keys");
  await section.getByLabel("agent", { exact: true }).fill("robot 7");
  await section.getByLabel("what it is for").fill("the lab");
  await section.getByLabel("for the user").fill("ada");
  await section.getByLabel("taint").selectOption("CONFIDENTIAL");
  await section.getByLabel("share").check();
  await section.getByLabel("ends after, days").fill("30");
  await sees("the command that makes a key", section.getByText("mneme token --api-key --agent 'robot 7' --taint CONFIDENTIAL --scope share --user ada --name 'the lab' --ttl 720h", { exact: true }));
  await look("keys-refused");

  // With it: loading, an error, nothing.
  let answer;
  await page.route(keys, (route) => (answer = route));
  await signIn(platform);
  await sees("that the keys are loading", section.getByText("The keys are loading"));
  await look("keys-loading");
  await holds(() => answer !== undefined, "the keys are not asked for");
  await answer.fulfill(problem(503, "Not now"));
  await sees("why there are no keys", section.getByRole("alert").getByText("Not now"));
  await look("keys-failed");
  await page.unroute(keys);
  await page.route(keys, (route) => route.fulfill({ json: { keys: [] } }));
  await section.getByRole("button", { name: "Try again" }).click();
  await sees("that there is no key", section.getByText("There is no key yet"));
  await look("keys-none");
  await page.unroute(keys);

  // What cannot be made, and what cannot be written.
  if (!(await section.getByLabel("share").isDisabled())) fail("a scope can be chosen that the token lacks");
  if ((await section.getByLabel("taint").locator("option").count()) !== 1) fail("a taint can be chosen that the token lacks");
  await section.getByLabel("agent", { exact: true }).fill("not an id");
  await section.getByRole("button", { name: "Make the key" }).click();
  await sees("what an id is", section.getByRole("alert").getByText("an id must match"));
  await section.getByLabel("agent", { exact: true }).fill("robot");
  await page.route(keys, (route) => (route.request().method() === "POST" ? route.fulfill(problem(409, "Conflict", "the server cannot write the keys")) : route.fallback()));
  await section.getByRole("button", { name: "Make the key" }).click();
  await sees("that the server cannot write", section.getByRole("alert").getByText("the server cannot write the keys"));
  await sees("what makes the key then", section.getByText("mneme token --api-key --agent robot", { exact: true }));
  await look("keys-unwritable");
  await page.unroute(keys);

  // A key is made: its secret is shown once, and it counts.
  await section.getByLabel("what it is for").fill("the lab");
  await section.getByLabel("ends after, days").fill("30");
  await section.getByRole("button", { name: "Make the key" }).click();
  await sees("the key of the agent", section.getByRole("heading", { name: "The key of robot" }));
  await holds(() => section.getByRole("heading", { name: "The key of robot" }).evaluate((e) => e === document.activeElement), "the new key has not the focus");
  await sees("that it is shown once", section.getByText("it is not shown again"));
  const shown = section.locator("pre", { hasText: /^mneme_[0-9a-f]{16}_[a-z2-7]{52}$/ });
  await sees("the secret", shown);
  const secret = await shown.textContent();
  await section.getByRole("button", { name: "Copy" }).first().click();
  await holds(async () => (await page.evaluate(() => navigator.clipboard.readText())) === secret, "the secret is not copied");
  await look("keys-made");
  const status = async () => (await fetch(`${url}/v1/stores/self/memories`, { headers: { "X-API-Key": secret } })).status;
  if ((await status()) !== 200) fail("the key that was made does not count");
  await section.getByRole("button", { name: "I have copied it" }).click();
  await sees("the form", section.getByRole("button", { name: "Make the key" }));
  if ((await page.content()).includes(secret.split("_")[2])) fail("the secret is still in the page");
  if (await page.evaluate((s) => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href]).includes(s), secret)) fail("the browser keeps the secret");

  // The list, and a revocation, which is asked for again.
  const row = section.getByRole("list", { name: "API keys" }).locator("li", { hasText: "the lab" });
  await sees("the key in the list", row.getByText("robot"));
  await call(platform, "POST", "/v1/admin/keys", { agent: `a-${"long".repeat(25)}`, name: "n".repeat(100), user: "ada", chat: "talk", scopes: ["platform"], ttl: 86_400 });
  await call(platform, "POST", "/v1/admin/keys", { agent: "nameless" });
  await signIn(platform);
  await sees("a key without a name", section.getByText("nameless"));
  await sees("when it was used", row.getByText("last used"));
  await look("keys");
  const revoke = row.getByRole("button", { name: "Revoke the lab" });
  await revoke.click();
  await sees("whether it is to be revoked", row.getByRole("button", { name: "Revoke it now?" }));
  await page.keyboard.press("Tab"); // thinks better of it
  await sees("that it was not revoked", revoke);
  if ((await status()) !== 200) fail("a key is revoked without a second press");
  await revoke.click();
  await row.getByRole("button", { name: "Revoke it now?" }).click();
  await sees("that it is revoked", section.getByRole("status").getByText("the lab is revoked"));
  if ((await status()) !== 401) fail("the key that was revoked counts");
  await section.locator("summary").click();
  await sees("the key that has ended", section.locator("details li", { hasText: "the lab" }).getByText("revoked"));
  await look("keys-ended");
  await sees("the token of the page", section.locator("li", { hasText: "used by this page" }).getByText(JSON.parse(Buffer.from(platform.split(".")[1], "base64url")).sub));

  // A page that is signed in with a key says which it is, and may end it.
  const { secret: own } = await call(platform, "POST", "/v1/admin/keys", { agent: "operator", name: "mine", scopes: ["platform"] });
  await signIn(own);
  await sees("the key of the page", section.locator("li", { hasText: "mine" }).getByText("used by this page"));
  if (await section.locator("li", { hasText: "nameless" }).getByText("used by this page").count()) fail("another key is said to be the page's");
  const mine = section.locator("li", { hasText: "mine" });
  await mine.getByRole("button", { name: "Revoke mine" }).click();
  await mine.getByRole("button", { name: "Revoke it now?" }).click();
  await sees("that the page's key is revoked", section.getByRole("status").getByText("mine is revoked"));
  for (const { id, kind, state } of (await call(platform, "GET", "/v1/admin/keys")).keys) if (kind === "api-key" && state === "valid") await call(platform, "DELETE", `/v1/admin/keys/${id}`);
}
