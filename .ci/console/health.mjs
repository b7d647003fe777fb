// The screen Health, for visitors without and with the scope platform.
export async function checkHealth({ page, context, signIn, token, platform, look, sees }) {
  await page.getByRole("link", { name: "Health" }).click();
  await sees("that all is well", page.getByText("Everything answers."));
  await sees("the steps of searches", page.getByRole("rowheader", { name: "whole search" }));
  await sees("why slow searches are missing", page.getByText("a token with the scope"));
  await page.getByRole("img", { name: /^Time of a search/ }).hover();
  await look("health");
  await context.setOffline(true);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await sees("from when the numbers are", page.getByText("What is shown was loaded"));
  await sees("what was loaded", page.getByText("Everything answers."));
  await context.setOffline(false);
  await signIn(platform);
  await sees("the slow searches", page.getByText(/No search of the last hour took|the slowest, by step/));
  await look("health-platform");
  await signIn(token);
  await sees("Health again", page.getByText("a token with the scope"));
}
