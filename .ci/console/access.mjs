// What another agent may reach, for visitors with the scope platform and without.
export async function asAgent({ page, signIn, token, platform, look, sees, call }) {
  await page.getByRole("link", { name: "Access" }).click();
  await signIn(token);
  await sees("who is told what others reach", page.getByText("is told to tokens with the scope platform"));
  await call(token, "PUT", "/v1/stores/self/grants/reader", { level: "search" });
  await signIn(platform);
  await page.getByLabel("agent", { exact: true }).fill("reader");
  await page.getByLabel("at taint").selectOption("INTERNAL");
  await page.getByRole("button", { name: "See" }).click();
  await sees("what the agent reaches", page.getByText("reaches 2 stores."));
  await sees("where its level comes from", page.getByRole("row", { name: /console search.*a grant by console/ }));
  await look("as-agent");
  await page.getByLabel("agent", { exact: true }).fill("a b");
  await page.getByRole("button", { name: "See" }).click();
  await sees("that this is no id", page.getByRole("alert"));
}
