// The memory of a program around a model: what fits a question goes into the prompt, and
// what is learned is kept.

import { type Mneme, NotFound, PreconditionFailed } from "mneme-client";

const least = 0.03; // the relevance below which the service's own tools take a hit for none

/** What is known about a question, for a prompt: best first, and empty if nothing is. */
export async function known(memory: Mneme, namespace: string, question: string, max_tokens = 400): Promise<string> {
  const { hits } = await memory.search({ query: question, namespace, max_tokens, passages: true, min_relevance: least });
  return hits.flatMap((hit) => hit.passages?.map((passage) => passage.text) ?? [String(hit.value)]).map((text) => `- ${text}`).join("\n");
}

/** Adds a fact to a topic. Programs that do so at once lose none of their facts. */
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
      if (!(error instanceof PreconditionFailed)) throw error; // else another one was faster
    }
  }
}

/** Moves everything of a namespace to the trash, and returns how much that was. */
export async function forget(memory: Mneme, namespace: string): Promise<number> {
  const items: { op: "delete"; key: string; namespace: string }[] = [];
  for await (const { key } of memory.list({ namespace })) items.push({ op: "delete", key, namespace });
  for (let start = 0; start < items.length; start += 1000) await memory.batch(items.slice(start, start + 1000));
  return items.length;
}
