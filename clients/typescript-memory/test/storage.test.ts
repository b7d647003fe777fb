// What Mastra's storages do with threads, messages and resources: each scenario has the same
// outcome with Mastra's own storage in memory and with mneme's.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { MastraDBMessage } from "@mastra/core/memory";
import { InMemoryStore, type MemoryStorage } from "@mastra/core/storage";
import { MnemeMemory } from "mneme-memory/mastra";

import { client, rule, unreachable } from "./server.ts";

const at = (second: number, ms = 0): Date => new Date(Date.UTC(2026, 4, 1, 12, 0, second, ms));

const now = Date.now();

/** A message as agents make them, with what is given. */
function message(id: string, text: string, more: Partial<MastraDBMessage> & { second?: number } = {}): MastraDBMessage {
  const { second = 0, ...rest } = more;
  const createdAt = rest.createdAt ?? at(second);
  const content = { format: 2 as const, parts: [{ type: "text" as const, text, createdAt: createdAt.getTime() }], content: text };
  return { id, role: "user", createdAt, threadId: "t", resourceId: "ada", type: "text", content, ...rest };
}

const thread = (id: string, more: object = {}) => ({ id, resourceId: "ada", title: `about ${id}`, createdAt: at(0), updatedAt: at(0), metadata: {}, ...more });

async function domain(storage: { getStore: (name: "memory") => Promise<MemoryStorage | undefined> }): Promise<MemoryStorage> {
  const memory = await storage.getStore("memory");
  assert.ok(memory);
  return memory;
}

/** Mastra's own storage, whose answers later calls do not change. */
async function reference(): Promise<MemoryStorage> {
  return new Proxy(await domain(new InMemoryStore()), {
    get: (storage, name) => {
      const member: unknown = Reflect.get(storage, name);
      return typeof member === "function" ? async (...input: unknown[]) => structuredClone(await member.apply(storage, input)) : member;
    },
  });
}

const mneme = (namespace: string) => domain(new MnemeMemory({ client: client(), namespace }).storage);

/** What a scenario returned, without the times of changes. */
async function outcome(scenario: (storage: MemoryStorage) => Promise<unknown>, storage: MemoryStorage): Promise<unknown> {
  return JSON.parse(JSON.stringify(await scenario(storage), (name, value) => (name === "updatedAt" ? undefined : value)));
}

/** Tests that a scenario has the same outcome with both storages, and returns something. */
function same(title: string, scenario: (storage: MemoryStorage) => Promise<unknown>): void {
  rule(title, async (namespace) => {
    const expected = await outcome(scenario, await reference());
    assert.ok(JSON.stringify(expected).length > 10, "the scenario shows nothing");
    assert.deepEqual(await outcome(scenario, await mneme(namespace)), expected);
  });
}

/** The message of what a call throws; "" if it throws nothing. */
const thrown = (call: () => Promise<unknown>) => call().then(() => "", (error: Error) => error.message);

const ids = ({ messages }: { messages: MastraDBMessage[] }) => messages.map(({ id }) => id);

/** Threads t and u of ada with ten and two messages, and v of bob with one. */
async function filled(storage: MemoryStorage): Promise<void> {
  for (const one of [thread("t"), thread("u"), thread("v", { resourceId: "bob" })]) await storage.saveThread({ thread: one });
  const ten = Array.from({ length: 10 }, (_, i) => {
    const made = message(`t${i}`, `message ${i}`, { second: i, role: i % 2 ? "assistant" : "user" });
    return { ...made, content: { ...made.content, metadata: { even: i % 2 === 0, n: i } } };
  });
  await storage.saveMessages({ messages: [...ten].reverse() });
  await storage.saveMessages({ messages: [message("u0", "first of u", { threadId: "u", second: 3 }), message("u1", "second of u", { threadId: "u", createdAt: at(4, 500) })] });
  await storage.saveMessages({ messages: [message("v0", "of bob", { threadId: "v", resourceId: "bob", second: 5 })] });
}

same("a thread is read as it was written, by its resource alone", async (storage) => {
  const saved = await storage.saveThread({ thread: thread("t", { metadata: { colour: "green", deep: { n: [1, null] } } }) });
  return [
    saved, await storage.getThreadById({ threadId: "t" }), await storage.getThreadById({ threadId: "t", resourceId: "ada" }),
    await storage.getThreadById({ threadId: "t", resourceId: "bob" }), await storage.getThreadById({ threadId: "none" }),
  ];
});

same("an update changes what it names", async (storage) => {
  await storage.saveThread({ thread: thread("t", { metadata: { a: 1, b: 1 } }) });
  return [
    await storage.updateThread({ id: "t", title: "new" }), await storage.updateThread({ id: "t", metadata: { b: 2, c: 3 } }),
    await storage.patchThread({ id: "t", metadata: { d: 4 } }), await storage.getThreadById({ threadId: "t" }),
    await storage.updateThreadMetadata({ id: "t", update: ({ metadata }) => ({ a: Number(metadata?.["a"]) + 1 }) }),
    await thrown(() => storage.updateThread({ id: "none", title: "x" })),
  ];
});

same("threads are listed by resource, metadata, time and page", async (storage) => {
  for (let i = 0; i < 5; i++) {
    const more = { createdAt: at(i), updatedAt: at(10 - i), resourceId: i === 4 ? "bob" : "ada", metadata: { even: i % 2 === 0, deep: { i } } };
    await storage.saveThread({ thread: thread(`t${i}`, more) });
  }
  const list = async (input: Parameters<MemoryStorage["listThreads"]>[0]) => storage.listThreads(input);
  return [
    await list({}), await list({ filter: { resourceId: "ada" } }), await list({ filter: { resourceId: "ada" }, perPage: 2, page: 1 }),
    await list({ filter: { metadata: { even: true } }, orderBy: { field: "createdAt", direction: "ASC" } }), await list({ filter: { metadata: { deep: { i: 3 } } } }),
    await list({ orderBy: { field: "updatedAt", direction: "ASC" }, perPage: false }), await list({ perPage: 0 }), await list({ filter: { resourceId: "none" } }),
    await thrown(() => list({ page: -1 })), await thrown(() => list({ perPage: -1 })), await thrown(() => list({ filter: { metadata: { "a b": 1 } } })),
  ];
});

same("messages are listed by time, page and direction", async (storage) => {
  await filled(storage);
  const list = async (input: object) => storage.listMessages({ threadId: "t", ...input });
  return [
    await list({}), await list({ perPage: 3 }), await list({ perPage: 3, page: 3 }), await list({ perPage: 3, page: 9 }), await list({ perPage: false }),
    await list({ perPage: 3, orderBy: { field: "createdAt", direction: "DESC" } }), await list({ perPage: 0 }), await list({ resourceId: "ada", perPage: 1 }),
    await list({ resourceId: "bob" }), await storage.listMessages({ threadId: "none" }), ids(await storage.listMessages({ threadId: ["t", "u"] })),
    await thrown(() => list({ page: -1 })), await thrown(() => list({ perPage: -1 })), await thrown(() => storage.listMessages({ threadId: " " })),
    await thrown(() => storage.listMessages({ threadId: [] })),
  ];
});

same("messages are chosen by date and metadata", async (storage) => {
  await filled(storage);
  const list = async (filter: object, more: object = {}) => ids(await storage.listMessages({ threadId: "t", filter, ...more }));
  const dateRange = { start: at(3), end: at(6) };
  return [
    await list({ dateRange }), await list({ dateRange: { ...dateRange, startExclusive: true, endExclusive: true } }), await list({ dateRange: { start: at(8) } }),
    await list({ dateRange: { end: at(1) } }), await list({ metadata: { even: true } }), await list({ metadata: { n: 3, even: false } }), await list({ metadata: { n: "3" } }),
    await list({ metadata: { even: true }, dateRange }, { perPage: 1, orderBy: { field: "createdAt", direction: "DESC" } }),
    await thrown(() => list({ metadata: { "a.b": 1 } })), await thrown(() => list({ metadata: { a: {} } })),
  ];
});

same("messages are included with those around them, within the resource", async (storage) => {
  await filled(storage);
  const list = async (include: object[], more: object = {}) => ids(await storage.listMessages({ threadId: "t", perPage: 0, include: include as never, ...more }));
  return [
    await list([{ id: "t5", withPreviousMessages: 2, withNextMessages: 1 }]), await list([{ id: "t0", withPreviousMessages: 2 }, { id: "t1", withPreviousMessages: 1 }]),
    await list([{ id: "u1", threadId: "u", withPreviousMessages: 5, withNextMessages: 5 }]), await list([{ id: "v0" }]), await list([{ id: "v0" }], { resourceId: "ada" }),
    await list([{ id: "none" }]), await list([{ id: "t2" }], { perPage: 2, page: 2 }), await list([{ id: "u0" }, { id: "t9" }], { orderBy: { field: "createdAt", direction: "DESC" } }),
  ];
});

same("messages are found by their ids and by resource", async (storage) => {
  await filled(storage);
  return [
    await storage.listMessagesById({ messageIds: ["t3", "u1", "none", "v0"] }), await storage.listMessagesById({ messageIds: [] }),
    ids(await storage.listMessagesByResourceId({ resourceId: "ada", perPage: false })), await storage.listMessagesByResourceId({ resourceId: "bob" }),
    ids(await storage.listMessagesByResourceId({ resourceId: "ada", perPage: 2, orderBy: { field: "createdAt", direction: "DESC" } })),
  ];
});

same("a message is kept once: a later write replaces it, in its thread or another", async (storage) => {
  await filled(storage);
  await storage.saveMessages({ messages: [message("t3", "changed", { second: 3 }), message("t3", "changed again", { second: 3 })] });
  await storage.saveMessages({ messages: [message("t4", "moved", { threadId: "u", second: 9 })] });
  return [await storage.listMessages({ threadId: "t", perPage: false }), await storage.listMessages({ threadId: "u" }), await storage.saveMessages({ messages: [] })];
});

same("an update of messages merges their content", async (storage) => {
  await filled(storage);
  const updated = await storage.updateMessages({
    messages: [
      { id: "t2", content: { metadata: { seen: true } } }, { id: "t3", role: "user", content: { content: "other" } }, { id: "t4", threadId: "u" }, { id: "none", role: "user" },
    ] as Parameters<MemoryStorage["updateMessages"]>[0]["messages"],
  });
  const byId = (a: MastraDBMessage, b: MastraDBMessage) => a.id.localeCompare(b.id);
  return [
    updated.sort(byId), ids(await storage.listMessages({ threadId: "t" })), ids(await storage.listMessages({ threadId: "u" })),
    (await storage.listMessagesById({ messageIds: ["t2", "t3"] })).messages.map(({ content }) => content), await storage.updateMessages({ messages: [] }),
  ];
});

same("what is deleted is gone", async (storage) => {
  await filled(storage);
  await storage.deleteMessages(["t0", "u0", "none"]);
  await storage.deleteMessages([]);
  const left = [ids(await storage.listMessages({ threadId: "t" })), ids(await storage.listMessages({ threadId: "u" }))];
  await storage.deleteThread({ threadId: "t" });
  await storage.deleteThread({ threadId: "none" });
  return [left, await storage.listMessages({ threadId: "t" }), (await storage.listThreads({})).threads.map(({ id }) => id).sort(), await storage.listMessagesById({ messageIds: ["t5"] })];
});

same("a resource has working memory and metadata", async (storage) => {
  const { createdAt: _, ...made } = await storage.updateResource({ resourceId: "ada", workingMemory: "# Ada\n- tea: green", metadata: { a: 1 } });
  const { createdAt: __, ...changed } = await storage.updateResource({ resourceId: "ada", metadata: { b: 2 } });
  const saved = await storage.saveResource({ resource: { id: "bob", workingMemory: "x", metadata: {}, createdAt: at(0), updatedAt: at(0) } });
  await storage.updateResource({ resourceId: "bob", workingMemory: "" });
  return [made, changed, saved, await storage.getResourceById({ resourceId: "bob" }), await storage.getResourceById({ resourceId: "none" })];
});

same("a thread is copied with all or some of its messages, which get ids of their own", async (storage) => {
  await filled(storage);
  const texts = async (threadId: string) => (await storage.listMessages({ threadId, perPage: false })).messages.map(({ content, resourceId }) => [content.content, resourceId]);
  const { thread: whole, messageIdMap } = await storage.copyThread({ sourceThreadId: "t", newThreadId: "w", metadata: { a: 1 } });
  const part = await storage.cloneThread({ sourceThreadId: "t", resourceId: "bob", title: "part", options: { messageLimit: 2, messageFilter: { endDate: at(5) } } });
  const some = await storage.cloneThread({ sourceThreadId: "t", newThreadId: "s", options: { messageFilter: { messageIds: ["t1", "t7"] } } });
  return [
    whole.title, whole.resourceId, whole.metadata?.["a"], Object.keys(messageIdMap ?? {}).sort(), await texts("w"), part.thread.title, part.thread.resourceId, await texts(part.thread.id),
    some.clonedMessages.length, await texts("s"), await thrown(() => storage.copyThread({ sourceThreadId: "none" })), await thrown(() => storage.copyThread({ sourceThreadId: "t", newThreadId: "u" })),
  ];
});

same("ids and contents may be any text", async (storage) => {
  const [id, resourceId] = ["a.b/ü é%2E\u200b✓", "o'brien@example.org/x"];
  await storage.saveThread({ thread: thread(id, { resourceId }) });
  const tool = { state: "result" as const, toolCallId: "c", toolName: "look", args: { a: [1] }, result: { "b.c": null, d: "…" } };
  const parts = [{ type: "text", text: "one\n\n" }, { type: "tool-invocation", toolInvocation: tool }, { type: "text", text: "" }, { type: "reasoning", reasoning: "r", details: [] }];
  const many = [
    message("/m//1.", "\n text with \"quotes\" ", { threadId: id, resourceId }),
    message("%6D2", "", { threadId: id, resourceId, second: 1, content: { format: 2, parts } as never }),
    message("m3", "", { threadId: id, resourceId, second: 2, role: "assistant", content: { format: 2, parts: parts.slice(0, 1), content: "else", metadata: {} } as never }),
  ];
  await storage.saveMessages({ messages: many });
  return [await storage.listMessages({ threadId: id, resourceId }), await storage.listMessagesById({ messageIds: ["%6D2"] }), await storage.getThreadById({ threadId: id })];
});

same("messages of one instant stay in the order in which they came", async (storage) => {
  await storage.saveThread({ thread: thread("t") });
  await storage.saveMessages({ messages: ["z", "a", "m", "b"].map((id) => message(id, id)) });
  await storage.saveMessages({ messages: ["y", "c"].map((id) => message(id, id)) });
  return ids(await storage.listMessages({ threadId: "t" }));
});

same("of a long thread the newest messages and those around one are read", async (storage) => {
  await storage.saveThread({ thread: thread("t") });
  const ago = (minutes: number) => new Date(now - minutes * 60_000);
  await storage.saveMessages({ messages: Array.from({ length: 260 }, (_, i) => message(`m${i}`, `message ${i}`, { createdAt: ago((259 - i) ** 2) })) });
  const newest = { orderBy: { field: "createdAt" as const, direction: "DESC" as const }, includeTotal: false };
  const around = (id: string, before: number, after: number) => ({ id, withPreviousMessages: before, withNextMessages: after });
  return [
    ids(await storage.listMessages({ threadId: "t", perPage: 5, ...newest })), ids(await storage.listMessages({ threadId: "t", perPage: 20, ...newest })),
    ids(await storage.listMessages({ threadId: "t", perPage: 7, page: 30, ...newest })),
    ids(await storage.listMessages({ threadId: "t", perPage: 3, ...newest, filter: { dateRange: { end: ago(7000) } } })),
    ids(await storage.listMessages({ threadId: "t", perPage: 0, include: [around("m100", 3, 3), around("m0", 2, 2), around("m259", 2, 2)] })),
    (await storage.listMessages({ threadId: "t", perPage: 2 })).total,
  ];
});

rule("a message of no thread that is there, or of no resource, is refused", async (namespace) => {
  const storage = await mneme(namespace);
  assert.match(await thrown(() => storage.saveMessages({ messages: [message("m", "x")] })), /Thread with id t not found/);
  await storage.saveThread({ thread: thread("t") });
  const { resourceId: _, ...homeless } = message("m", "x");
  assert.match(await thrown(() => storage.saveMessages({ messages: [homeless] })), /no resourceId/);
  assert.deepEqual(ids(await storage.listMessages({ threadId: "t" })), []);
});

rule("what other clients write among a thread's messages is a user's", async (namespace) => {
  const storage = await mneme(namespace);
  await storage.saveThread({ thread: thread("t") });
  await client().put("note", "written in the console", { namespace: `${namespace}.messages.ada.t` });
  await client().put("object", { a: 1 }, { namespace: `${namespace}.messages.ada.t` });
  const { messages } = await storage.listMessages({ threadId: "t" });
  assert.deepEqual(messages.map(({ id, role, content }) => [id, role, content.content]).sort(), [["note", "user", "written in the console"], ["object", "user", '{"a":1}']]);
});

rule("of a turn with pictures the text is kept, with a mark of each", async (namespace) => {
  const storage = await mneme(namespace);
  await storage.saveThread({ thread: thread("t") });
  const digits = "iVBORw0K".repeat(50_000);
  const url = `data:image/png;base64,${digits}`;
  const linked = { type: "file" as const, data: "https://example.org/a.png", mimeType: "image/png" };
  const call = { state: "result" as const, toolCallId: "c", toolName: "look", args: {}, result: { content: [{ type: "image", mimeType: "image/gif", data: digits }] } };
  const parts = [
    { type: "text" as const, text: "Which cup is mine?" }, { type: "file" as const, data: digits, mimeType: "image/jpeg" }, { type: "file" as const, data: url, mimeType: "image/png" },
    linked, { type: "tool-invocation" as const, toolInvocation: call },
  ];
  const attachments = [{ name: "a", contentType: "image/png", url }, { name: "b", contentType: "audio/wav", url: `data:audio/wav;base64,${digits}` }, { name: "c", url: "https://example.org/c.png" }];
  const pictured = message("1", "", { content: { format: 2, parts, content: "Which cup is mine?", experimental_attachments: attachments } });
  const inline = message("2", `The blue one: ![cup](${url})`, { second: 1 });
  await storage.saveMessages({ messages: [pictured, inline] });
  const { messages } = await storage.listMessages({ threadId: "t" });
  const mark = (type: string) => `[${type}, 300 kB, not kept]`;
  const texts = ["Which cup is mine?", mark("image/jpeg"), mark("image/png"), mark("audio/wav")];
  const [first, second] = messages.map((each) => each.content);
  assert.deepEqual(first?.parts.flatMap((part) => (part.type === "text" ? part.text : [])), texts);
  assert.equal(first?.content, texts.join("\n"));
  assert.deepEqual(first?.parts.filter((part) => part.type === "file").map((part) => part.data), [linked.data]);
  assert.deepEqual(first?.experimental_attachments, [{ name: "c", url: "https://example.org/c.png" }]);
  assert.match(JSON.stringify(first), /\[image\/gif, 300 kB, not kept\]/);
  assert.equal(second?.content, `The blue one: ![cup](${mark("image/png")})`);
});

rule("integers keep all digits, and are numbers where those have their value", async (namespace) => {
  const storage = await mneme(namespace);
  const metadata = { exact: 2 ** 60, long: 9007199254740993n, small: 7 };
  await storage.saveThread({ thread: thread("t", { metadata }) });
  await storage.saveMessages({ messages: [message("1", "tea", { content: { format: 2, parts: [{ type: "text", text: "tea" }], metadata } })] });
  assert.deepEqual((await storage.getThreadById({ threadId: "t" }))?.metadata, metadata);
  assert.deepEqual((await storage.listMessages({ threadId: "t" })).messages[0]?.content.metadata, metadata);
  await client().put("2", { order: 9007199254740993n }, { namespace: `${namespace}.messages.ada.t` });
  const { messages } = await storage.listMessagesById({ messageIds: ["2"] });
  assert.equal(messages[0]?.content.content, '{"order":9007199254740993}');
});

rule("a message that is too long is refused without its text, and its batch is not written", async (namespace) => {
  const storage = await mneme(namespace);
  await storage.saveThread({ thread: thread("t") });
  const error = await thrown(() => storage.saveMessages({ messages: [message("a", "short"), message("b", "long ".repeat(30_000))] }));
  assert.match(error, /100/);
  assert.doesNotMatch(error, /long long/);
  assert.deepEqual(ids(await storage.listMessages({ threadId: "t" })), []);
});

rule("writes of one thread at once are all kept", async (namespace) => {
  const storage = await mneme(namespace);
  await storage.saveThread({ thread: thread("t") });
  const writes = Array.from({ length: 5 }, (_, i) => storage.saveMessages({ messages: [message(`m${i}`, `${i}`, { second: i })] }));
  await Promise.all([...writes, storage.updateThread({ id: "t", title: "meanwhile" }), storage.updateThread({ id: "t", metadata: { kept: true } })]);
  assert.deepEqual(ids(await storage.listMessages({ threadId: "t" })), ["m0", "m1", "m2", "m3", "m4"]);
  const { title, metadata } = (await storage.getThreadById({ threadId: "t" }))!;
  assert.deepEqual([title, metadata], ["meanwhile", { kept: true }]);
});

rule("a thread's messages follow it to another resource", async (namespace) => {
  const storage = await mneme(namespace);
  await filled(storage);
  await storage.updateThreadResourceId({ threadId: "t", resourceId: "bob" });
  assert.equal((await storage.listMessages({ threadId: "t", resourceId: "bob", perPage: false })).messages.length, 10);
  assert.equal((await storage.listMessages({ threadId: "t", resourceId: "ada" })).messages.length, 0);
  assert.equal((await storage.listMessagesByResourceId({ resourceId: "bob", perPage: false })).total, 11);
});

rule("apps with other namespaces share nothing, and clearing one leaves the other", async (namespace) => {
  const [one, other] = [await mneme(namespace), await mneme(`${namespace}-2`)];
  await filled(one);
  assert.equal(await other.getThreadById({ threadId: "t" }), null);
  await filled(other);
  await one.updateResource({ resourceId: "ada", workingMemory: "x" });
  await one.dangerouslyClearAll();
  assert.equal((await one.listThreads({})).total + (await one.listMessagesByResourceId({ resourceId: "ada" })).total, 0);
  assert.equal(await one.getResourceById({ resourceId: "ada" }), null);
  assert.equal((await other.listThreads({})).total, 3);
});

test("without a token there is an error, and without a server one that shows nothing that was written", async () => {
  const token = process.env["MNEME_TOKEN"];
  delete process.env["MNEME_TOKEN"];
  assert.throws(() => new MnemeMemory(), /no token/);
  if (token) process.env["MNEME_TOKEN"] = token;
  const storage = await domain(new MnemeMemory({ client: unreachable() }).storage);
  const error = await thrown(() => storage.saveThread({ thread: thread("secret") }));
  assert.match(error, /connection failed/);
  assert.doesNotMatch(error, /secret/);
});
