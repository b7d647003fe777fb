// The memory of a program around a model: facts about a question go into the prompt, and
// new facts are stored.

import { type Mneme, NotFound, PreconditionFailed } from "mneme-client";

const least = 0.03; // the relevance below which the service's own tools drop a hit

/** Returns the known facts about a question for a prompt, best first; empty if there are none. */
export async function known(memory: Mneme, namespace: string, question: string, max_tokens = 400): Promise<string> {
  const { hits } = await memory.search({ query: question, namespace, max_tokens, passages: true, min_relevance: least });
  return hits.flatMap((hit) => hit.passages?.map((passage) => passage.text) ?? [String(hit.value)]).map((text) => `- ${text}`).join("\n");
}

/** Adds a fact to a topic. Concurrent programs lose none of their facts. */
export async function learn(memory: Mneme, namespace: string, topic: string, fact: string): Promise<void> {
  for (;;) {
    try {
      const read = await memory.get(topic, { namespace }).catch((error: unknown) => {
        if (error instanceof NotFound) return undefined;
        throw error;
      });
      if (read) await memory.put(topic, `${String(read.entry.value)}\n${fact}`, { namespace, ifMatch: read.etag, wait: true });
      else await memory.put(topic, fact, { namespace, ifNoneMatch: "*", wait: true });
      return;
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error; // otherwise another program was faster
    }
  }
}

/** Moves all entries of a namespace to the trash, and returns their number. */
export async function forget(memory: Mneme, namespace: string): Promise<number> {
  const items: { op: "delete"; key: string; namespace: string }[] = [];
  for await (const { key } of memory.list({ namespace })) items.push({ op: "delete", key, namespace });
  for (let start = 0; start < items.length; start += 1000) await memory.batch(items.slice(start, start + 1000));
  return items.length;
}
