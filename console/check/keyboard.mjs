// Walks through every screen by Tab: each control is reached once around, is in sight and
// shows that it has the focus, and nothing holds it.
const controls = () => {
  const seen = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest("[inert]") && !(e.closest("details:not([open])") && e.closest("details:not([open])") !== e.parentElement);
  return [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].filter(
    (e) => seen(e) && !e.disabled && e.tabIndex >= 0 && e.type !== "file" && e.type !== "hidden",
  );
};

async function walk(page, name, fail) {
  await page.evaluate(() => {
    document.activeElement?.blur();
    getSelection()?.removeAllRanges();
    scrollTo(0, 0);
  });
  // From the page's beginning: its first control, and then by the key alone.
  const wanted = await page.evaluate(`(${controls})().forEach((e, i) => e.setAttribute("data-walk", i)), document.querySelectorAll("[data-walk]").length`);
  const told = new Set();
  const reached = new Set();
  await page.evaluate(() => document.querySelector("[data-walk='0']").focus());
  for (let i = 0; i < wanted + 40 && reached.size < wanted; i++) {
    if (i > 0) await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e || e === document.body) return null;
      const style = getComputedStyle(e);
      const box = e.getBoundingClientRect();
      const above = document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height / 2, 12));
      return {
        walk: e.dataset.walk ?? null,
        name: `${e.tagName.toLowerCase()} ${(e.getAttribute("aria-label") ?? e.textContent ?? "").trim().slice(0, 40)}`,
        outlined: e.matches(":focus-visible") && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1,
        inSight: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
        covered: above !== null && above !== e && !e.contains(above) && !above.contains(e) && !(e.labels && [...e.labels].some((l) => l.contains(above))),
      };
    });
    if (!at) continue; // the browser's own, around the page
    const tell = (what) => {
      if (!told.has(at.name + what)) fail(`${name}, by Tab: ${at.name}: ${what}`);
      told.add(at.name + what);
    };
    if (i > 0 && !at.outlined) tell("does not show that it has the focus");
    if (!at.inSight) tell("has the focus out of sight");
    else if (at.covered) tell("has the focus and is covered");
    if (at.walk !== null) reached.add(at.walk);
  }
  const missed = await page.evaluate((reached) => [...document.querySelectorAll("[data-walk]")].filter((e) => !reached.includes(e.dataset.walk)).map((e) => `${e.tagName.toLowerCase()} ${(e.getAttribute("aria-label") ?? e.textContent ?? "").trim().slice(0, 40)}`), [...reached]);
  if (missed.length > 0) fail(`${name}: Tab does not reach ${missed.join(", ")}`);
  await page.evaluate(() => document.querySelectorAll("[data-walk]").forEach((e) => e.removeAttribute("data-walk")));
  return wanted;
}

export async function keyboard({ page, url, settled, sees, holds, fail }) {
  const sums = [];
  const at = async (name, hash, ready, prepare) => {
    await page.goto(`${url}/console/#/${hash}`);
    await sees(`${name} for the keyboard`, ready);
    await prepare?.();
    await settled();
    sums.push(`${name} ${await walk(page, name, fail)}`);
  };
  const pressed = (name, on) => page.getByRole("button", { name, exact: true, ...(on !== undefined ? { pressed: on } : {}) });
  await at("Ask", "ask?q=Ben", page.locator("li.hit"), () => pressed("Options", false).click());
  await pressed("Options", true).click();
  await at("Memories", "memories?namespace=trips", page.getByRole("region", { name: "List" }).locator("li").first(), () => page.getByRole("region", { name: "List" }).locator(".open").last().click());
  await page.keyboard.press("Escape");
  await at("Access", "access", page.getByRole("button", { name: "readwrite", exact: true }).first(), () => pressed("Share").click());
  await at("Sell", "sell", page.getByRole("button", { name: "New offer" }), () => page.getByRole("button", { name: "New offer" }).click());
  await at("Health", "health", page.getByText("Everything answers"));
  await at("Settings", "settings", page.getByRole("heading", { name: "API keys" }));
  await at("Runs", "runs", page.getByRole("heading", { name: "Look at a relevance report" }));

  // A dialog holds the focus until Esc, which gives it back.
  await page.getByRole("button", { name: "Keys" }).focus();
  await page.keyboard.press("?");
  await sees("the keys by their key", page.getByRole("dialog", { name: "Keys" }));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  if (await page.evaluate(() => document.activeElement !== document.body && !document.activeElement.closest("dialog"))) fail("Tab leaves an open dialog");
  await page.keyboard.press("Escape");
  await holds(() => page.evaluate(() => document.activeElement?.matches("button[aria-label=Keys]")), "a closed dialog does not give the focus back");

  // The slash asks from anywhere, and is a letter where one writes.
  await page.keyboard.press("/");
  await sees("the question", page.locator(".question:focus"));
  await page.keyboard.type("a/b?");
  await holds(async () => (await page.locator(".question").inputValue()) === "a/b?", "a slash cannot be written into a question");
  console.log(`controls that Tab reaches: ${sums.join(", ")}`);
}
