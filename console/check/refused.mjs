// What a token without the right is told: which right is missing, who gives it, and the
// command with which they do.
export async function refusals({ page, url, signIn, token, buyer, platform, look, sees, fail, call }) {
  const { agent: me } = await call(token, "GET", "/v1/account");
  const { agent: other } = await call(buyer, "GET", "/v1/account");
  const refused = page.getByRole("alert");
  const tells = async (screen, needs, command) => {
    await sees(`which right is missing: ${screen}`, refused.getByText(needs));
    await sees(`what gives it: ${screen}`, refused.getByText(command));
    await look(`refused-${screen}`);
  };
  await call(token, "DELETE", `/v1/stores/self/grants/${other}`); // of the offer that was accepted

  // Access: what other agents reach.
  await page.goto(`${url}/console/#/access`);
  await signIn(buyer);
  await sees("who is told what others reach", page.getByText("is told to tokens with the scope platform"));
  await sees("what makes a token of a platform", page.getByText(`mneme token --agent ${other} --scope platform`));
  if (await page.getByRole("region", { name: "As another agent" }).count()) fail("a token without the scope platform may choose an agent");

  // Access: while an offer stands, its store's own agent alone shares.
  await call(token, "PUT", `/v1/stores/self/grants/${other}`, { level: "readwrite" });
  const { id } = await call(token, "POST", "/v1/stores/self/offers", { title: "Closed", description: "", terms: { price_search: 1, price_entry: 1 } });
  await page.reload();
  await signIn(buyer);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await page.locator("form").getByLabel(/^Store/).selectOption(me);
  await page.getByLabel("with agent").fill("third");
  await page.locator("form").getByRole("button", { name: "Share" }).click();
  await tells("access", "while an offer stands its own agent alone shares", `mneme share --agent ${me} ${other} --level readwrite`);
  await call(token, "DELETE", `/v1/offers/${id}`);

  // Memories: of a store that may be searched alone, and of one that may be read alone.
  await call(token, "PUT", `/v1/stores/self/grants/${other}`, { level: "search" });
  await page.goto(`${url}/console/#/memories?store=${me}`);
  await tells("memories", `It needs the level read on the store ${me}.`, `mneme share --agent ${me} ${other} --level read`);
  await call(token, "PUT", `/v1/stores/self/grants/${other}`, { level: "read" });
  await refused.getByRole("button", { name: "Try again" }).click();
  await page.locator("li", { hasText: "diet/ben" }).locator(".open").click();
  const pane = page.getByRole("complementary");
  await pane.getByText("Who may see this").click();
  await sees("who is told of other grants", pane.getByText("Who else has a grant is told to those who may share the store."));
  await pane.getByRole("button", { name: "Edit" }).click();
  await pane.getByLabel("Text").fill("Ben eats all.");
  await pane.getByRole("button", { name: "Save as a new version" }).click();
  await tells("write", `It needs the level readwrite on the store ${me}.`, `mneme share --agent ${me} ${other} --level readwrite`);
  if ((await pane.getByLabel("Text").inputValue()) !== "Ben eats all.") fail("a refused edit loses the text");
  await page.keyboard.press("Escape");

  // Sell: offers and sales are of one's own store, which settings may switch off.
  const settings = (self) => call(platform, "PUT", `/v1/agents/${other}/settings`, { enabled: true, self, chat: true, user: true });
  await settings(false);
  await page.goto(`${url}/console/#/sell`);
  await tells("sell", "It needs the level readwrite on your own store, which the settings of the agent may have switched off.", `/v1/agents/${other}/settings`);
  await settings(true);
  await refused.getByRole("button", { name: "Try again" }).click();
  await sees("what selling is", page.getByText("Others can search your store for money"));

  await call(token, "DELETE", `/v1/stores/self/grants/${other}`);
}
