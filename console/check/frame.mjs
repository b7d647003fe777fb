// What every screen stands in: the palette, the menu of a narrow screen, and a token
// that ends and is renewed by pasting.
export async function frame({ page, look, sees, fail, token }) {
  const selected = () => page.locator("[role=option][aria-selected=true]");
  await page.getByRole("link", { name: "Memories" }).click();
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "A screen, a store, a key or an action" });
  await sees("the palette", box);
  await look("palette");
  await page.keyboard.type("diet/");
  await sees("a key by its beginning", page.getByRole("option", { name: /^diet\/ben/ }));
  if ((await box.getAttribute("aria-activedescendant")) !== (await selected().getAttribute("id"))) fail("the palette's field does not name the marked line");
  const first = await selected().innerText();
  await page.keyboard.press("ArrowDown");
  if ((await selected().innerText()) === first) fail("an arrow does not move in the palette");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await sees("the entry that the palette opens", page.getByRole("complementary").getByText("adrenaline pen"));
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Escape");
  await sees("the pane behind the palette", page.getByRole("complementary"));
  await page.keyboard.press("Escape");

  await page.keyboard.press("Control+k");
  await page.keyboard.type("new mem");
  await page.keyboard.press("Enter");
  await sees("the form of a new memory", page.getByRole("dialog", { name: "New memory" }));
  await page.getByLabel("Key", { exact: true }).fill("palette/new");
  await page.getByRole("dialog").getByLabel("Text").fill("The palette writes, too.");
  await look("new-memory");
  await page.getByRole("button", { name: "Write it" }).click();
  await sees("what was written", page.getByRole("complementary").getByText("The palette writes, too."));
  await page.keyboard.press("Escape");

  await page.setViewportSize({ width: 400, height: 800 });
  if (await page.getByRole("link", { name: "Sell" }).isVisible()) fail("the bar of a narrow screen is not folded");
  await page.getByRole("button", { name: /^☰/ }).click();
  await page.getByRole("link", { name: "Access" }).click();
  await sees("the folded menu", page.getByRole("button", { name: "☰ Access" }));
  if (await page.getByRole("link", { name: "Sell" }).isVisible()) fail("the menu stays open");
  await page.setViewportSize({ width: 1280, height: 800 });

  const { exp } = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString());
  await page.clock.setFixedTime(exp * 1000 - 250_000);
  await sees("that the token is about to end", page.getByText("This token ends in 5 min."));
  await page.getByRole("button", { name: "Paste another one" }).click();
  await page.getByLabel("New token").fill("no token");
  await page.keyboard.press("Enter");
  await sees("the refusal of a bad token", page.getByRole("alert"));
  await look("renewal");
  await page.getByLabel("New token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByLabel("New token").waitFor({ state: "detached" });
  if (!page.url().includes("#/access")) fail("a renewed token leaves the page");
  await page.clock.setSystemTime(new Date());
}
