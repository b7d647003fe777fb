// A program that uses the installed package, only to check its types.

import { type components, Invalid, Mneme } from "mneme-client";

export async function recall(url: string, token: string): Promise<string[]> {
  const memory = new Mneme(url, token, { timeout: 5000, retries: 1 });
  const written = await memory.put("seat", { rail: "window" }, { wait: true, tags: ["travel"], ttl: 3600 });
  const indexed: boolean | undefined = written.indexed;
  const question: components["schemas"]["Question"] = { query: "Where to sit?", where: { tags: { contains: "travel" } }, max_tokens: 500, passages: true };
  const keys = (await memory.search(question)).hits.filter((hit) => indexed && hit.relevance > 0.5).map((hit) => hit.key);
  try {
    for await (const entry of memory.list({ namespace: "travel" })) keys.push(entry.key);
  } catch (error) {
    if (error instanceof Invalid) return [error.field];
    throw error;
  }
  // @ts-expect-error: levels are search, read and readwrite
  await memory.share("ben", "owner");
  // @ts-expect-error: a limit is a number
  await memory.search({ query: "a", limit: "10" });
  return keys;
}
