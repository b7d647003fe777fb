// Mastra's agents with MnemeMemory: what they remember and recall.

import assert from "node:assert/strict";

import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { Mastra } from "@mastra/core/mastra";
import { MnemeMemory, type MnemeMemoryOptions } from "mneme-memory/mastra";

import { type Call, model, prompts } from "./model.ts";
import { client, rule, unreachable } from "./server.ts";

type Options = NonNullable<MnemeMemoryOptions["options"]>;

const memoryOf = (namespace: string, options: Options = {}, rest: Partial<MnemeMemoryOptions> = {}) => new MnemeMemory({ client: client(), namespace, options, ...rest });

/** Mastra's types name a copy of the AI SDK's. */
const agentOf = (memory: MnemeMemory, sent: ReturnType<typeof model>) =>
  new Agent({ id: "assistant", name: "assistant", instructions: "Help.", model: sent as unknown as MastraModelConfig, memory });

/** Asks an agent of its own, and returns the prompts that its model was sent. */
async function asked(memory: MnemeMemory, thread: string, question: string, resource = "ada", calls: Call[] = []): Promise<string[]> {
  const sent = model(calls);
  const agent = agentOf(memory, sent);
  assert.equal((await agent.generate(question, { memory: { thread, resource } })).text, "done");
  return prompts(sent);
}

/** The texts of a thread's messages, by time. */
async function said(memory: MnemeMemory, threadId: string): Promise<string[]> {
  const { messages } = await memory.recall({ threadId, resourceId: "ada", perPage: false });
  return messages.map(({ role, content }) => `${role}: ${content.parts.map((part) => (part.type === "text" ? part.text : "")).join("")}`);
}

rule("an agent has the last messages of its thread", async (namespace) => {
  const memory = memoryOf(namespace, { semanticRecall: false, lastMessages: 2 });
  await asked(memory, "t", "My cat is called Mimi.");
  await asked(memory, "t", "My dog is called Rex.");
  const [prompt = ""] = await asked(memory, "t", "What did I say?");
  assert.match(prompt, /Rex/);
  assert.doesNotMatch(prompt, /Mimi/);
  assert.deepEqual(await said(memory, "t"), ["user: My cat is called Mimi.", "assistant: done", "user: My dog is called Rex.", "assistant: done", "user: What did I say?", "assistant: done"]);
});

rule("streams remember too", async (namespace) => {
  const memory = memoryOf(namespace);
  const stream = await agentOf(memory, model()).stream("Ada likes her tea green.", { memory: { thread: "t", resource: "ada" } });
  assert.equal(await stream.text, "done");
  assert.deepEqual(await said(memory, "t"), ["user: Ada likes her tea green.", "assistant: done"]);
});

rule("what was said in another thread is recalled by mneme's search, to the same resource alone", async (namespace) => {
  const memory = memoryOf(namespace, { lastMessages: 1, semanticRecall: { topK: 1, messageRange: 0 } });
  await asked(memory, "one", "I like my tea green, without sugar.");
  await asked(memory, "two", "The train to Basel leaves at noon.");
  const [others = ""] = await asked(memory, "four", "Which tea do I like?", "bob");
  assert.doesNotMatch(others, /green/);
  const [prompt = ""] = await asked(memory, "three", "Which tea do I like?");
  assert.match(prompt, /remembered from a different conversation.*messages are from \d{4}, \w+, \d+.*tea green/);
});

rule("recall is on unless the options say otherwise", async (namespace) => {
  await asked(memoryOf(namespace), "one", "I like my tea green.");
  assert.match((await asked(memoryOf(namespace), "two", "Which tea?"))[0] ?? "", /green/);
  assert.doesNotMatch((await asked(memoryOf(namespace, { semanticRecall: false }), "three", "Which tea?"))[0] ?? "", /green/);
});

rule("recall of a thread has its old messages with those around them, and none of other threads", async (namespace) => {
  const memory = memoryOf(namespace, { lastMessages: 1, semanticRecall: { scope: "thread", topK: 1, messageRange: { before: 0, after: 1 } } });
  await asked(memory, "other", "Tea of another thread: black.");
  await asked(memory, "t", "I like my tea green.");
  await asked(memory, "t", "My dog is called Rex.");
  const [prompt = ""] = await asked(memory, "t", "Which tea do I like?");
  assert.match(prompt, /tea green/);
  assert.doesNotMatch(prompt, /black|Rex/);
});

rule("recall finds by vectorSearchString, and leaves out what is below the threshold", async (namespace) => {
  const options = { lastMessages: 1, semanticRecall: { topK: 2, messageRange: 0 } } satisfies Options;
  const memory = memoryOf(namespace, options);
  await asked(memory, "t", "I like my tea green.");
  await asked(memory, "t", "My dog is called Rex.");
  const recalled = async (threshold: number) => {
    const { messages } = await memory.recall({
      threadId: "t", resourceId: "ada", perPage: 0, vectorSearchString: "Which tea?", threadConfig: { semanticRecall: { ...options.semanticRecall, threshold } },
    });
    return messages.map(({ content }) => content.content).join();
  };
  assert.match(await recalled(0), /tea green/);
  assert.equal(await recalled(1), "");
  await assert.rejects(
    memory.recall({ threadId: "t", resourceId: "ada", vectorSearchString: "tea", threadConfig: { semanticRecall: { ...options.semanticRecall, filter: { role: "user" } } } }),
    /filter is not supported/,
  );
});

rule("messages that a program saves are recalled", async (namespace) => {
  const memory = memoryOf(namespace, { semanticRecall: { topK: 1, messageRange: 0 } });
  await memory.saveThread({ thread: { id: "t", resourceId: "ada", createdAt: new Date(), updatedAt: new Date() } });
  const content = { format: 2 as const, parts: [{ type: "text" as const, text: "I like my tea green." }] };
  await memory.saveMessages({ messages: [{ id: "m", role: "user", createdAt: new Date(), threadId: "t", resourceId: "ada", content }] });
  const { messages } = await memory.recall({ threadId: "t", resourceId: "ada", perPage: 0, vectorSearchString: "Which tea?" });
  assert.deepEqual(messages.map(({ id, content: { parts } }) => [id, parts[0]?.type === "text" && parts[0].text]), [["m", "I like my tea green."]]);
});

rule("observational memory, which is not supported, is refused", async (namespace) => {
  assert.throws(() => memoryOf(namespace, { observationalMemory: true }), /observationalMemory is not supported/);
  const memory = memoryOf(namespace, { observationalMemory: false });
  assert.throws(() => memory.getMergedThreadConfig({ observationalMemory: { enabled: true } }), /not supported/);
});

rule("messages of no relevance are not recalled", async (namespace) => {
  const say = async (minRelevance: number) => {
    const memory = memoryOf(`${namespace}-${minRelevance}`, { lastMessages: 1, semanticRecall: { topK: 1, messageRange: 0 } }, { minRelevance });
    await asked(memory, "one", "Trains to Basel leave at noon.");
    return (await asked(memory, "two", "When do the trains leave?"))[0] ?? "";
  };
  assert.match(await say(0), /Basel/);
  assert.doesNotMatch(await say(1), /Basel/);
});

rule("what is deleted is not recalled", async (namespace) => {
  const memory = memoryOf(namespace, { lastMessages: 1 });
  await asked(memory, "one", "I like my tea green.");
  await asked(memory, "two", "I like my tea with mint.");
  const { messages } = await memory.recall({ threadId: "two", resourceId: "ada", perPage: false });
  await memory.deleteThread("one");
  await memory.deleteMessages(messages.map(({ id }) => id));
  await memory.settled();
  const [prompt = ""] = await asked(memory, "three", "Which tea do I like?");
  assert.doesNotMatch(prompt, /green|mint/);
});

rule("working memory is written by the model's tool and read in every thread of the resource", async (namespace) => {
  const memory = memoryOf(namespace, { semanticRecall: false, workingMemory: { enabled: true, template: "# User\n- Tea:" } });
  await asked(memory, "one", "I like my tea green.", "ada", [["updateWorkingMemory", { memory: "# User\n- Tea: green" }]]);
  assert.equal(await memory.getWorkingMemory({ threadId: "two", resourceId: "ada" }), "# User\n- Tea: green");
  const [prompt = ""] = await asked(memory, "two", "Hello?");
  assert.match(prompt, /Tea: green/);
  assert.doesNotMatch((await asked(memory, "three", "Hello?", "bob"))[0] ?? "", /Tea: green/);
});

rule("working memory of a thread is that thread's", async (namespace) => {
  const memory = memoryOf(namespace, { semanticRecall: false, workingMemory: { enabled: true, scope: "thread" } });
  await asked(memory, "one", "I like my tea green.", "ada", [["updateWorkingMemory", { memory: "tea: green" }]]);
  assert.match((await asked(memory, "one", "Hello?"))[0] ?? "", /tea: green/);
  assert.doesNotMatch((await asked(memory, "two", "Hello?"))[0] ?? "", /tea: green/);
});

rule("a Mastra instance lists the threads of its storage, which the memory fills", async (namespace) => {
  const memory = memoryOf(namespace);
  const mastra = new Mastra({ storage: memory.storage, agents: {}, logger: false });
  await asked(memory, "t", "Hello.");
  const threads = await (await mastra.getStorage()?.getStore("memory"))?.listThreads({ filter: { resourceId: "ada" } });
  assert.deepEqual(threads?.threads.map(({ id }) => id), ["t"]);
});

rule("an agent whose memory cannot be reached says so, without what was asked", async (namespace) => {
  const memory = memoryOf(namespace, {}, { client: unreachable() });
  await assert.rejects(asked(memory, "t", "my secret"), (error: Error) => /connection failed/.test(error.message) && !/secret/.test(error.message));
});
