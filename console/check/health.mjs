// The screen Health, for visitors without and with the scope platform.
export async function checkHealth({ page, context, signIn, token, platform, look, sees, fail, url }) {
  await page.getByRole("link", { name: "Health" }).click();
  await sees("that all is well", page.getByText("Everything answers."));
  await sees("why the last hour is missing", page.getByText("a token with the scope"));
  if (await page.getByRole("img", { name: /^Time of a search/ }).count()) fail("counts over all agents are shown to everyone");
  await look("health");
  await context.setOffline(true);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await sees("from when the numbers are", page.getByText("What is shown was loaded"));
  await sees("what was loaded", page.getByText("Everything answers."));
  await context.setOffline(false);
  await page.getByText("Limits in force").click();
  await sees("the limit of a store's bytes", page.getByText("1 GiB", { exact: true }));
  await signIn(platform);
  await sees("the steps of searches", page.getByRole("rowheader", { name: "whole search" }));
  await sees("the slow searches", page.getByText(/No search of the last hour took|the slowest, by step/));
  await page.getByRole("img", { name: /^Time of a search/ }).hover();
  await look("health-platform");
  await down({ page, signIn, token, look, sees, fail, url });
}

// What is not well, in answers of the service that are changed on their way.
async function down({ page, signIn, token, look, sees, fail, url }) {
  const answering = async (change) => {
    await page.unroute("**/v1/health");
    await page.route("**/v1/health", async (route) => {
      const response = await route.fetch();
      const health = await response.json();
      change(health);
      await route.fulfill({ response, json: health });
    });
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  };
  await answering((h) => {
    h.vector = { kind: "milvus", up: false, reconciled: { at: h.now, removed: 0, restored: 0 } };
    h.queue = { depth: 1203, oldest_s: 900 };
    for (const minute of h.minutes) minute.indexed = 0;
    h.minutes.at(-1).degraded = 1;
  });
  await sees("that words alone answer", page.getByText("Searches answer by words alone."));
  await sees("what waits", page.getByText("1,203 memories wait for their vectors (oldest 15 min)."));
  await sees("which part is down", page.getByText("Milvus does not answer."));
  await sees("that nothing is indexed", page.getByText("Nothing is indexed."));
  for (const summary of await page.getByText("From the operator's page").all()) await summary.click();
  await sees("the row of the operator's page", page.getByRole("cell", { name: /Milvus is down, starting, or has a different collection/ }));
  await sees("the row of an alert", page.getByRole("cell", { name: "MnemeQueueStuck" }));
  if (await page.getByRole("alert").count()) fail("a section of the operator's page is not there");
  await look("health-index-down");
  await answering((h) => {
    h.storage = { kind: "postgres", up: false };
    h.vector = { kind: "milvus", up: false };
    h.encoder.serving = "";
    if (!h.minutes) return; // to a token without the scope platform
    h.queue = { depth: 0, oldest_s: 0 };
    h.minutes.at(-1).failed = 7;
  });
  await sees("that the storage is down", page.getByText("The storage does not answer."));
  await sees("what is still true", page.getByText("What was acknowledged is kept."));
  await sees("which storage", page.getByText("PostgreSQL does not answer."));
  await sees("that the queue is not known", page.getByText("not known: it is in the storage"));
  await look("health-storage-down");

  // Whoever comes while the storage is down sees Health, which answers without it.
  const away = (route) => route.fulfill({ status: 503, headers: { "Retry-After": "2", "Content-Type": "application/problem+json" }, json: { type: "urn:mneme:problem:unavailable", title: "Service unavailable", status: 503, detail: "the storage is not available", instance: "urn:uuid:0" } });
  await page.route("**/v1/account", away);
  await page.route("**/v1/stores/**", away);
  await page.goto(`${url}/console/#/ask`);
  await signIn(token);
  await sees("Health without the storage", page.getByText("The storage does not answer."));
  await page.getByRole("link", { name: "Memories" }).click();
  await sees("why the list is not there", page.getByRole("alert").getByText("The storage is away. Nothing was changed."));
  await look("memories-storage-down");
  for (const path of ["**/v1/account", "**/v1/stores/**", "**/v1/health"]) await page.unroute(path);
  await page.getByRole("link", { name: "Health says more." }).click();
  await sees("that all is well again", page.getByText("Everything answers."));
}
