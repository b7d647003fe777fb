// The AI SDK with mneme's tools and its recall.

import assert from "node:assert/strict";
import { test } from "node:test";

import { generateText, isStepCount, streamText, type ToolSet, wrapLanguageModel } from "ai";
import { memoryTools, type MemoryToolsOptions, recallMiddleware, type RecallOptions } from "mneme-memory/ai";

import { type Call, model, prompts } from "./model.ts";
import { client, rule, unreachable } from "./server.ts";

const toolsOf = (namespace: string, options: Partial<MemoryToolsOptions> = {}): ToolSet => memoryTools({ client: client(), namespace, ...options });

/** What the tools answered to calls that a model made, one a turn: the output or the error. */
async function called(tools: ToolSet, ...calls: Call[]): Promise<unknown[]> {
  const { steps, text } = await generateText({ model: model(calls), tools, stopWhen: isStepCount(20), prompt: "go" });
  assert.equal(text, "done");
  return steps.slice(0, -1).map(({ content }) => content.map(answered).find((answer) => answer !== undefined));
}

function answered(part: { type: string; output?: unknown; error?: unknown }): unknown {
  if (part.type === "tool-result") return part.output;
  return part.type === "tool-error" ? { error: part.error instanceof Error ? part.error.message : part.error } : undefined;
}

const tea: Call = ["memory_save", { key: "diet/tea", content: "Ada likes her tea green.", tags: ["drink"], occurred_at: "2026-05-01" }];

rule("a model saves, finds, reads, changes, lists and deletes", async (namespace) => {
  const answers = await called(
    toolsOf(namespace), tea, ["memory_search", { query: "Which tea does Ada like?" }], ["memory_get", { key: "diet/tea" }],
    ["memory_update", { key: "diet/tea", old_text: "green", new_text: "black" }], ["memory_list", { prefix: "diet/" }], ["memory_list", { tag: "none" }],
    ["memory_get", { key: "diet/tea" }], ["memory_delete", { key: "diet/tea" }], ["memory_delete", { key: "diet/tea" }], ["memory_get", { key: "diet/tea" }],
  );
  const [saved, found, got, updated, listed, unlisted, changed, deleted, again, gone] = answers as Record<string, never>[];
  assert.deepEqual(saved, { saved: true, key: "diet/tea" });
  const { results: [hit] } = found as unknown as { results: [Record<string, unknown>] };
  const { relevance, ...rest } = hit;
  assert.deepEqual(rest, { key: "diet/tea", content: "Ada likes her tea green.", tags: ["drink"], occurred_at: "2026-05-01" });
  assert.ok(Number(relevance) > 0.03);
  assert.deepEqual(got, { found: true, key: "diet/tea", content: "Ada likes her tea green.", tags: ["drink"], occurred_at: "2026-05-01" });
  assert.deepEqual(updated, { updated: true, key: "diet/tea" });
  assert.deepEqual((listed as unknown as { memories: { key: string; tags: string[] }[] }).memories.map(({ key, tags }) => [key, tags]), [["diet/tea", ["drink"]]]);
  assert.deepEqual(unlisted, { memories: [] });
  assert.deepEqual(changed, { found: true, key: "diet/tea", content: "Ada likes her tea black.", tags: ["drink"], occurred_at: "2026-05-01" });
  assert.deepEqual([deleted, again, gone], [{ deleted: true, key: "diet/tea" }, { deleted: false, key: "diet/tea" }, { found: false, key: "diet/tea" }]);
});

rule("every answer has the day when it happened, or else was written", async (namespace) => {
  const [, , found, got, listed] = (await called(
    toolsOf(namespace), tea, ["memory_save", { key: "cat", content: "Ada's cat is named Turing." }],
    ["memory_search", { query: "What is the cat's name?" }], ["memory_get", { key: "cat" }], ["memory_list", {}],
  )) as Record<string, unknown>[];
  const day = /^\d{4}-\d\d-\d\d$/;
  const { results } = found as unknown as { results: { written: string }[] };
  assert.match(results[0]?.written ?? "", day);
  assert.match(String(got?.["written"]), day);
  const { memories: [cat, dated] } = listed as unknown as { memories: { written?: string; occurred_at?: string }[] };
  assert.match(cat?.written ?? "", day);
  assert.deepEqual([dated?.written, dated?.occurred_at], [undefined, "2026-05-01"]);
});

rule("what is saved again has no tags of before", async (namespace) => {
  const [, , got] = await called(toolsOf(namespace), tea, ["memory_save", { key: "diet/tea", content: "Ada likes no tea." }], ["memory_get", { key: "diet/tea" }]);
  assert.deepEqual(got, { found: true, key: "diet/tea", content: "Ada likes no tea.", occurred_at: "2026-05-01" });
});

rule("a streaming model gets the memories too", async (namespace) => {
  await called(toolsOf(namespace), tea);
  const sent = model([["memory_search", { query: "tea" }]]);
  const stream = streamText({ model: sent, tools: toolsOf(namespace), stopWhen: isStepCount(5), prompt: "Which tea?" });
  assert.equal(await stream.text, "done");
  assert.match(prompts(sent).at(-1) ?? "", /tea green/);
});

rule("where nothing is relevant the answer says so, and names what comes closest", async (namespace) => {
  const [, found, unnamed] = await called({ ...toolsOf(namespace, { minRelevance: 1 }), bare: toolsOf(namespace, { minRelevance: 1, nearest: 0 })["memory_search"]! },
    tea, ["memory_search", { query: "Which tea?" }], ["bare", { query: "Which tea?" }]);
  const { results, message, nearest } = found as { results: unknown[]; message: string; nearest: { key: string; text: string; unsure: boolean }[] };
  assert.deepEqual([results, nearest.map(({ key, text, unsure }) => [key, text, unsure])], [[], [["diet/tea", "Ada likes her tea green.", true]]]);
  assert.match(message, /nothing relevant was found; unsure/);
  assert.deepEqual(unnamed, { results: [], message: "nothing relevant was found" });
  const [empty, wordless] = await called(toolsOf(`${namespace}-empty`), ["memory_search", { query: "tea" }], ["memory_search", { query: "…?" }]);
  assert.deepEqual(empty, { results: [], message: "nothing relevant was found" });
  assert.deepEqual(wordless, { results: [], message: "nothing was found: the question has no words" });
});

rule("a long memory is shown by passages, and read on at next_offset", async (namespace) => {
  const content = `${"Nothing of interest happened on that day. ".repeat(600)}The code of the blue safe is kept by Noor. ${"And so on it went. ".repeat(600)}`;
  const [, found, first] = await called(toolsOf(namespace), ["memory_save", { key: "diary", content }], ["memory_search", { query: "Who has the code of the blue safe?" }], ["memory_get", { key: "diary" }]);
  const { results: [hit] } = found as { results: { content: string; truncated: boolean }[] };
  assert.ok(hit?.truncated && /kept by Noor/.test(hit.content) && hit.content.length < 2000);
  let { content: read, next_offset: offset } = first as { content: string; next_offset?: number };
  while (offset !== undefined) {
    const [more] = (await called(toolsOf(namespace), ["memory_get", { key: "diary", offset }])) as { content: string; next_offset?: number }[];
    read += more?.content;
    offset = more?.next_offset;
  }
  assert.equal(read, content);
});

rule("integers keep all digits, and pictures are not shown by a search", async (namespace) => {
  await client().put("order", { order: 9007199254740993n }, { namespace });
  await client().put("cup", `The blue cup: data:image/png;base64,${"iVBORw0K".repeat(500)}`, { namespace });
  const [got, found] = (await called(
    toolsOf(namespace), ["memory_get", { key: "order" }], ["memory_search", { query: "which cup is blue?" }],
  )) as [{ content: string }, { results: { key: string; content: string }[] }];
  assert.equal(got.content, '{"order":9007199254740993}');
  assert.equal(found.results.find(({ key }) => key === "cup")?.content, "The blue cup: [image/png, 3 kB]");
});

rule("of many memories the first hundred are listed", async (namespace) => {
  const put = (i: number) => ({ op: "put" as const, namespace, key: `m${String(i).padStart(3, "0")}`, value: "x" });
  await client().batch(Array.from({ length: 101 }, (_, i) => put(i)));
  const [all, some] = (await called(toolsOf(namespace), ["memory_list", {}], ["memory_list", { prefix: "m0" }])) as { memories: { key: string }[]; truncated?: boolean }[];
  assert.deepEqual([all?.memories.length, all?.memories.at(-1)?.key, all?.truncated], [100, "m099", true]);
  assert.deepEqual([some?.memories.length, some?.truncated], [100, undefined]);
});

rule("what cannot be done is told to the model, which goes on", async (namespace) => {
  await client().put("json", { a: 1 }, { namespace });
  const [, ...answers] = await called(
    toolsOf(namespace), tea, ["memory_save", { key: "long", content: "x ".repeat(60_000) }], ["memory_save", { key: "when", content: "x", occurred_at: "soon" }],
    ["memory_search", { max_results: 5 }], ["memory_search", { query: "x", max_results: 1000 }], ["memory_update", { key: "none", old_text: "a", new_text: "b" }],
    ["memory_update", { key: "json", old_text: "a", new_text: "b" }], ["memory_update", { key: "diet/tea", old_text: "coffee", new_text: "b" }],
    ["memory_update", { key: "diet/tea", old_text: "e", new_text: "b" }], ["memory_forget", {}], ["memory_get", { key: "diet/tea" }],
  );
  const errors = answers.map((answer) => (answer as { error?: string }).error ?? "");
  const expected = [/100/, /occurred_at/, /query/, /max_results/, /no memory of this key/, /no text/, /does not occur/, /more than once/, /memory_forget/, /^$/];
  expected.forEach((pattern, i) => assert.match(errors[i] ?? "none", pattern));
  assert.ok(errors.every((error) => !/x x x|127\.0\.0\.1/.test(error)));
  assert.match(JSON.stringify(answers.at(-1)), /tea green/);
});

rule("a change keeps what else the memory has, and does not undo another's", async (namespace, context) => {
  const kept = { type: "user" as const, description: "Her tea", tags: ["drink"], occurred_at: "2026-05", in_context: true };
  const { expires_at } = await client().put("tea", "green", { namespace, ...kept, ttl: 3600 });
  context.mock.timers.enable({ apis: ["Date"], now: Date.now() + 7_200_000 }); // a clock that is ahead
  await called(toolsOf(namespace), ["memory_update", { key: "tea", old_text: "green", new_text: "black" }]);
  const { entry } = await client().get("tea", { namespace });
  assert.deepEqual([entry.value, entry.type, entry.description, entry.tags, entry.occurred_at, entry.expires_at], ["black", kept.type, kept.description, kept.tags, kept.occurred_at, expires_at]);
  const update = (from: string, to: string): Call => ["memory_update", { key: "tea", old_text: from, new_text: to }];
  const both = await Promise.all([called(toolsOf(namespace), update("black", "red")), called(toolsOf(namespace), update("black", "white"))]);
  const done = both.flat().filter((answer) => (answer as { updated?: boolean }).updated);
  assert.equal(done.length, 1);
});

rule("tools of one namespace reach no other, and a model that only reads has no tools that write", async (namespace) => {
  await called(toolsOf(namespace), tea);
  const other = toolsOf(`${namespace}-2`);
  const [found, got, listed] = await called(other, ["memory_search", { query: "tea" }], ["memory_get", { key: "diet/tea" }], ["memory_list", {}]);
  assert.doesNotMatch(JSON.stringify([found, got, listed]), /green/);
  assert.deepEqual(Object.keys(memoryTools({ client: client(), readOnly: true })), ["memory_search", "memory_get", "memory_list"]);
  assert.deepEqual(Object.keys(other).slice(3), ["memory_save", "memory_update", "memory_delete"]);
});

rule("a call that is aborted ends", async (namespace) => {
  const { memory_search: search } = memoryTools({ client: client(), namespace });
  const options = { toolCallId: "1", messages: [], abortSignal: AbortSignal.abort(new Error("enough")), context: {} };
  await assert.rejects(async () => search.execute?.({ query: "tea", max_results: 1 }, options as never), /enough/);
});

test("a memory that cannot be reached is an error to the model, without the server's address", async () => {
  const calls: Call[] = [["memory_search", { query: "tea" }], ["memory_list", {}], ["memory_get", { key: "tea" }], ["memory_delete", { key: "tea" }], tea];
  const answers = await called(toolsOf("", { client: unreachable() }), ...calls);
  assert.deepEqual(answers, calls.map(() => ({ error: "the memory cannot be reached" })));
});

/** What a model was sent that recalls, whose user asks a question. */
async function recalled(namespace: string, prompt: string, options: Partial<RecallOptions> = {}): Promise<string> {
  const sent = model();
  const recalling = wrapLanguageModel({ model: sent, middleware: recallMiddleware({ client: client(), namespace, ...options }) });
  await generateText({ model: recalling, instructions: "Help.", prompt });
  return prompts(sent)[0] ?? "";
}

rule("a wrapped model is sent the memories that answer the user, after the program's instructions", async (namespace) => {
  await called(toolsOf(namespace), tea, ["memory_save", { key: "dog", content: "The dog is called Rex." }]);
  const sent = JSON.parse(await recalled(namespace, "Which tea does Ada like?", { limit: 1 })) as { role: string; content: string }[];
  assert.deepEqual(sent.map(({ role }) => role), ["system", "system", "user"]);
  assert.match(sent[1]?.content ?? "", /never instructions.*tea green/s);
  assert.doesNotMatch(JSON.stringify(sent), /Rex/);
  assert.doesNotMatch(await recalled(namespace, "Which tea does Ada like?", { minRelevance: 1 }), /green|Memories/);
  assert.doesNotMatch(await recalled(`${namespace}-2`, "Which tea does Ada like?"), /green|Memories/);
  assert.match(await recalled(namespace, `Which tea does Ada like? ${"Really. ".repeat(3000)}`), /tea green/);
});

test("a model whose memory cannot be reached is not called, or is without memories if onError takes the error", async () => {
  await assert.rejects(recalled("", "Which tea?", { client: unreachable() }), /cannot be reached/);
  const errors: unknown[] = [];
  assert.match(await recalled("", "Which tea?", { client: unreachable(), onError: (error) => errors.push(error) }), /Which tea/);
  assert.equal(errors.length, 1);
});
