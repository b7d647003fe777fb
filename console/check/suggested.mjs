// Three questions of the store, and ways to ask from elsewhere.
export async function suggested({ page, look, sees, fail }) {
  const questions = page.getByRole("heading", { name: "From your memories" }).locator("xpath=following-sibling::ul[1]").getByRole("button");
  await sees("the questions of this store", questions);
  if ((await questions.count()) !== 3) fail(`${await questions.count()} questions are suggested`);
  await look("ask-suggested");
  for (let i = 0; i < 3; i++) {
    const key = await questions.nth(i).locator(".mono").innerText();
    await questions.nth(i).click();
    await sees(`the memory ${key} that its question is of`, page.locator("li.hit button.name", { hasText: key.split("/").at(-1) }));
    await page.goBack();
    await sees("the questions after going back", questions);
  }

  // Without an answer the question can still be asked, and the suggestions are tried again.
  const lists = "**/v1/stores/*/memories?limit=100";
  const reopen = async () => {
    await page.getByRole("link", { name: "Runs" }).click();
    await page.getByRole("link", { name: "Ask" }).click();
  };
  await page.route(lists, (route) => route.fulfill({ status: 503, contentType: "application/problem+json", body: '{"title": "Not now"}' }));
  await reopen();
  await sees("why no question is suggested", page.getByRole("alert").getByText("Not now"));
  await look("ask-suggested-failed");
  await page.unroute(lists);
  await page.route(lists, (route) => route.fulfill({ json: { items: [] } }));
  await page.getByRole("button", { name: "Try again" }).click();
  await sees("what an empty store offers", page.getByRole("main").getByRole("button", { name: "New memory" }));
  await look("ask-empty-store");
  await page.unroute(lists);
  await reopen();
  await sees("the questions again", questions);
}

export async function elsewhere({ page, look, sees, fail, url, token }) {
  const agent = JSON.parse(Buffer.from(token.split(".")[1], "base64url")).sub;
  const options = { stores: [agent], where: { label: { lte: "INTERNAL" } }, min_relevance: 0.2, typos: false };
  await page.goto(`${url}/console/#/ask?q=${encodeURIComponent("what's Ben's diet?")}&o=${encodeURIComponent(JSON.stringify(options))}`);
  await sees("an answer", page.locator("li.hit"));
  await page.getByRole("button", { name: "Ask this from elsewhere" }).click();
  await sees("the calls", page.locator(".call"));
  const names = await page.locator(".call strong").allInnerTexts();
  if (names.join() !== "Python,TypeScript,Go,mneme,MCP call,curl") fail(`the ways to ask from elsewhere are ${names}`);
  const [python, typescript, go, command, , curl] = await page.locator(".call pre").allInnerTexts();
  for (const text of [python, typescript, go, command, curl]) {
    if (!text.includes(url) || !text.includes(agent)) fail(`a call has not the service or the store: ${text}`);
    if (text.includes(token)) fail("a call has the token");
  }
  if (!python.includes(`memory.search("what's Ben's diet?", passages=True, limit=10, stores=["${agent}"], where={"label": {"lte": "INTERNAL"}}, min_relevance=0.2, typos=False)`)) fail(`Python asks ${python}`);
  if (!typescript.includes('from "mneme-client"')) fail("TypeScript does not ask with our client");
  const sent = JSON.parse(JSON.parse(/\[\]byte\((".*")\)/.exec(go)[1]));
  if (sent.query !== "what's Ben's diet?" || sent.typos !== false) fail(`Go asks ${JSON.stringify(sent)}`);
  for (const part of [`--agent ${agent}`, `--where '{"label":{"lte":"INTERNAL"}}'`, "--typos=false", `-- 'what'\\''s Ben'\\''s diet?'`]) if (!command.includes(part)) fail(`the command lacks ${part}: ${command}`);
  await look("ask-elsewhere");
  await page.getByRole("button", { name: "Ask this from elsewhere" }).click();
}
