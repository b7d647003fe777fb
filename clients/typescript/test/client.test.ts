// Tests against a real server, given by MNEME_URL and MNEME_TOKEN. MNEME_BUYER is the token of
// another agent, with money in its account.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";

import {
  type Connection, Forbidden, Invalid, Mneme, MnemeError, NotFound, PaymentRequired, PreconditionFailed, TransportFailed, Unauthorized, Unavailable,
  UnreadableAnswer, parseJSON, stringifyJSON,
} from "mneme-client";

const { MNEME_URL = "", MNEME_TOKEN = "", MNEME_BUYER = "", CI } = process.env;
const missing = MNEME_URL === "" && "MNEME_URL is not set";
if (missing && CI) throw new Error(missing);

const client = () => new Mneme(MNEME_URL, MNEME_TOKEN);

/** Tests a rule against the server, in a separate namespace. */
function rule(title: string, check: (client: Mneme, namespace: string) => Promise<void>): void {
  test(title, { skip: missing }, () => check(client(), randomUUID()));
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** A client whose requests are answered by a function, with the recorded requests and pauses. */
function mocked(answer: (n: number, request: Request) => Response | Error, options: Connection = {}) {
  const sent: Request[] = [];
  const pauses: number[] = [];
  const fetch = async (input: RequestInfo | URL) => {
    const request = input as Request;
    sent.push(request);
    const result = answer(sent.length, request);
    if (result instanceof Error) throw result;
    return result;
  };
  const pause = async (seconds: number) => void pauses.push(seconds);
  return { client: new Mneme("http://server", "secret-token", { fetch, pause, ...options }), sent, pauses };
}

function problem(status: number, headers: Record<string, string> = {}): Response {
  const body = { type: "about:blank", title: "a title", status, detail: "a detail" };
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/problem+json", ...headers } });
}

// Proxies may refuse it, or decode it.
test("no path has an encoded slash", async () => {
  const { client, sent } = mocked(() => new Response("{}", { headers: { "Content-Type": "application/json" } }));
  await client.put("a/b c/d", 1);
  await client.get("a/b c/d", { namespace: "n" });
  await client.delete("a/b c/d");
  await client.restore("a/b c/d");
  await client.rename("a/b c/d", "e/f");
  await all(client.versions("a/b c/d")).catch(() => []);
  for (const { url } of sent) {
    const { pathname, searchParams } = new URL(url);
    assert.match(pathname, /^\/v1\/stores\/self\/memories\/-(\/[a-z]+)?$/);
    assert.equal(searchParams.get("key"), "a/b c/d");
  }
  assert.equal(sent.length, 6);
});

// 9007199254740993 is the first integer that a number cannot represent.
test("JSON keeps all digits of integers, and otherwise is what JSON.parse and JSON.stringify make", () => {
  for (const text of [
    "9007199254740993", "-9007199254740993", "18446744073709551616", '{"a":[12345678901234567890,{"b":-1}],"12345678901234567890":"12345678901234567890"}',
    '"\\"12345678901234567890\\\\"', '{"\\\\":12345678901234567890}',
  ]) {
    assert.equal(stringifyJSON(parseJSON(text)), text);
  }
  assert.deepEqual(parseJSON("[9007199254740991, 9007199254740992, -9007199254740992]"), [9007199254740991, 9007199254740992n, -9007199254740992n]);
  assert.deepEqual(parseJSON("[1234567890123456.5, 12345678901234567e2, 0.12345678901234567]"), ["1234567890123456.5", "12345678901234567e2", "0.12345678901234567"].map(Number));
  for (const text of ["0123456789012345678", "12345678901234567x", "[1234567890123456789 1]", "", "1-12345678901234567890", '"12345678901234567890']) {
    assert.throws(() => parseJSON(text), SyntaxError, text);
  }
  assert.equal(stringifyJSON({ a: undefined, b: new Date(0), c: { toJSON: () => 1n }, d: [2n ** 70n] }), '{"b":"1970-01-01T00:00:00.000Z","c":1,"d":[1180591620717411303424]}');
});

test("a program's own JSON of BigInt changes nothing", (t) => {
  Object.defineProperty(BigInt.prototype, "toJSON", { value() { return String(this); }, configurable: true });
  t.after(() => Reflect.deleteProperty(BigInt.prototype, "toJSON"));
  assert.equal(stringifyJSON({ a: 2n ** 53n }), '{"a":9007199254740992}');
});

rule("integers beyond 2^53 keep all digits", async (client, namespace) => {
  const value = { id: 9007199254740993n, ids: [-(2n ** 64n), 7], text: "9007199254740993" };
  await client.put("one", value, { namespace });
  await client.batch([{ op: "put", namespace, key: "two", value: { id: 2n ** 70n } }], { atomic: true });
  assert.deepEqual((await client.get("one", { namespace })).entry.value, value);
  assert.deepEqual((await client.batch([{ op: "get", namespace, key: "two" }])).outcomes[0]?.entry?.value, { id: 2n ** 70n });
  const equal = (id: bigint) => all(client.list({ namespace, where: { "value.id": { eq: id } } }));
  assert.deepEqual((await equal(9007199254740993n)).map(({ key }) => key), ["one"]);
  const { hits } = await client.search({ query: "9007199254740993", namespace, mode: "lexical" });
  assert.deepEqual(hits.find(({ key }) => key === "one")?.value, value);
  const lines = await all(client.export({ where: { namespace: { eq: namespace } } }));
  assert.deepEqual(lines.map(({ key, value }) => [key, value]).sort(), [["one", value], ["two", { id: 2n ** 70n }]]);
  const changed = lines.map((line) => ({ ...line, key: `${line.key}-again` }));
  await client.importEntries(changed);
  assert.deepEqual((await client.get("one-again", { namespace })).entry.value, value);
});

rule("what is put is read, found and deleted", async (client, namespace) => {
  const put = () => client.put("diet/anna", "Anna eats no nuts.", { namespace, wait: true, tags: ["food"], description: "What Anna eats" });
  let written = await put();
  for (const deadline = Date.now() + 240_000; !written.indexed; written = await put()) { // on a busy machine, one call may not wait long enough
    assert.ok(Date.now() < deadline);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.deepEqual(written.tags, ["food"]);
  const { entry, etag } = await client.get("diet/anna", { namespace });
  assert.equal(entry.value, "Anna eats no nuts.");
  const { hits } = await client.search({ query: "What does Anna not eat?", namespace, passages: true, max_tokens: 200 });
  assert.equal(hits[0]?.key, "diet/anna");
  assert.ok(hits[0].relevance > 0 && hits[0].relevance <= 1);
  await client.delete("diet/anna", { namespace, ifMatch: etag });
  await assert.rejects(client.get("diet/anna", { namespace }), (error) =>
    error instanceof NotFound && error.status === 404 && Boolean(error.problem.instance) && !error.message.includes("anna"));
});

test("only the service's own 404 says that something is not there", async () => {
  const headers = { "Content-Type": "application/problem+json" };
  const problems = ["about:blank", "urn:mneme:problem:no-such-call"].map((type) => JSON.stringify({ type, status: 404 }));
  for (const answer of [() => new Response("<html>no such site", { status: 404 }), ...problems.map((body) => () => new Response(body, { status: 404, headers }))]) {
    await assert.rejects(mocked(answer).client.get("a"), (error) => error instanceof MnemeError && error.status === 404 && !(error instanceof NotFound));
  }
  const own = JSON.stringify({ type: "urn:mneme:problem:not-found", status: 404 });
  await assert.rejects(mocked(() => new Response(own, { status: 404, headers })).client.get("a"), NotFound);
});

test("an error names the field", async () => {
  const body = JSON.stringify({ type: "urn:mneme:problem:rule", title: "rule", detail: "too many", field: "tags[3]", status: 422 });
  const { client } = mocked(() => new Response(body, { status: 422, headers: { "Content-Type": "application/problem+json" } }));
  await assert.rejects(client.put("a", 1), (error) => error instanceof Invalid && error.message.includes("tags[3]"));
});

test("a path below which the service stands is that of every call", async () => {
  const sent: string[] = [];
  const fetch = async (input: RequestInfo | URL) => {
    sent.push((input as Request).url);
    return problem(500);
  };
  for (const url of ["https://host.example/mneme", "https://host.example/mneme/"]) {
    await assert.rejects(new Mneme(url, "t", { fetch }).account());
  }
  assert.deepEqual(sent, Array(2).fill("https://host.example/mneme/v1/account"));
});

rule("conditions of writes and reads", async (client, namespace) => {
  await client.put("a", 1, { namespace, ifNoneMatch: "*" });
  const { etag } = await client.get("a", { namespace });
  await assert.rejects(client.put("a", 2, { namespace, ifNoneMatch: "*" }), PreconditionFailed);
  assert.equal(await client.changed("a", etag, { namespace }), undefined);
  await client.put("a", 3, { namespace, ifMatch: etag });
  const later = await client.changed("a", etag, { namespace });
  assert.equal(later?.entry.value, 3);
  assert.notEqual(later.etag, etag);
  await assert.rejects(client.delete("a", { namespace, ifMatch: etag }), PreconditionFailed);
});

rule("versions, trash, restore and rename", async (client, namespace) => {
  await client.put("a", "one", { namespace });
  await client.put("a", "two", { namespace });
  assert.deepEqual((await all(client.versions("a", { namespace }))).map((entry) => entry.value), ["two", "one"]);
  assert.equal((await client.restore("a", { namespace, version: 1 })).value, "one");
  assert.equal((await client.rename("a", "b", { namespace })).key, "b");
  assert.equal((await client.rename("b", "c", { namespace, toNamespace: `${namespace}-2` })).namespace, `${namespace}-2`);
  assert.equal((await client.rename("c", "b", { namespace: `${namespace}-2`, toNamespace: namespace })).namespace, namespace);
  await client.delete("b", { namespace });
  assert.ok((await all(client.trash())).some((entry) => entry.namespace === namespace));
  assert.equal((await client.restore("b", { namespace })).value, "one");
});

rule("a list has the entries of all pages", async (client, namespace) => {
  await client.batch(Array.from({ length: 150 }, (_, n) => ({ op: "put" as const, key: `k${String(n).padStart(3, "0")}`, namespace, value: { n } })));
  assert.deepEqual((await all(client.list({ namespace }))).map((entry) => (entry.value as { n: number }).n), [...Array(150).keys()]);
  assert.deepEqual((await all(client.list({ namespace, where: { "value.n": { gte: 148 } } }))).map((entry) => entry.key), ["k148", "k149"]);
});

rule("a batch that is repeated does nothing twice", async (client, namespace) => {
  const idempotencyKey = randomUUID();
  for (const _ of [1, 2]) {
    const { outcomes } = await client.batch([{ op: "put", key: "a", namespace, value: 1 }], { idempotencyKey });
    assert.ok([200, 201].includes(outcomes[0]?.status ?? 0));
  }
  assert.deepEqual((await all(client.versions("a", { namespace }))).map((entry) => entry.version), [1]);
});

rule("changes are followed, until the caller has enough", async (client, namespace) => {
  const since = (await client.changes()).next_cursor;
  await client.put("a", 1, { namespace });
  await client.delete("a", { namespace });
  let last = "";
  const enough = new AbortController();
  await assert.rejects(async () => {
    for await (const { change, cursor } of client.follow({ since, signal: enough.signal })) {
      last = cursor;
      if (change.namespace === namespace && change.deleted) enough.abort(new Error("enough"));
    }
  }, /enough/);
  assert.ok((await client.changes({ since: last })).next_cursor);
});

rule("an export is an import", async (client, namespace) => {
  await client.put("a", "ünï", { namespace, tags: ["x"] });
  await client.put("b", { n: 1 }, { namespace });
  const lines = await all(client.export({ where: { namespace: { eq: namespace } } }));
  assert.deepEqual(lines.map((line) => line.key), ["a", "b"]);
  for (const line of lines) await client.delete(line.key, { namespace });
  const result = await client.importEntries([...lines, { key: "", value: 1 }]);
  assert.deepEqual([result.created, result.refused, result.refusals?.length], [2, 1, 1]);
  assert.deepEqual((await all(client.list({ namespace }))).map((entry) => entry.value), ["ünï", { n: 1 }]);
});

test("options of writes, lists and exports are sent", async () => {
  const { client, sent } = mocked(() => problem(422));
  await assert.rejects(client.put("a", 1, { similar: true, timezone: "Europe/Berlin" }), Invalid);
  await assert.rejects(all(client.list({ prefix: "a", tag: ["x", "y"], timezone: "+02:00" })), Invalid);
  await assert.rejects(all(client.export({ timezone: "+02:00" })), Invalid);
  assert.deepEqual(sent.map((request) => new URL(request.url).search), ["?similar=true", "?prefix=a&tag=x&tag=y&timezone=%2B02%3A00&limit=100", "?timezone=%2B02%3A00"]);
  assert.deepEqual(await sent[0]?.json(), { timezone: "Europe/Berlin", value: 1 });
});

test("a line of an export is imported as it came, unless it was changed", async () => {
  const exported = ['{"key":"a","value":{"chat": 12345678901234567890, "price": 1.10}}', '{"key":"b","value":1.10}'];
  const { client, sent } = mocked((n) => (n === 1 ? new Response(`${exported.join("\n")}\n`) : Response.json({})));
  const lines = await all(client.export());
  lines[1]!.key = "c";
  await client.importEntries(lines);
  assert.equal(await sent[1]?.text(), `${exported[0]}\n{"key":"c","value":1.1}\n`);
});

rule("stores are shared", async (client) => {
  await client.put("preferred-seat", "The window seat.", { type: "user", description: "Where to sit" });
  assert.ok((await client.stores()).some((store) => store.kind === "self"));
  assert.deepEqual((await client.setLanguage("multilingual")).models, ["multilingual"]);
  assert.equal((await client.setLanguage("auto")).language, "auto");
  await client.share("jonas", "search", { max_label: "PUBLIC" });
  assert.deepEqual((await client.grants()).filter((grant) => grant.grantee === "jonas").map((grant) => grant.level), ["search"]);
  await client.unshare("jonas");
  assert.ok(!(await client.grants()).some((grant) => grant.grantee === "jonas"));
  assert.match(await client.index(), /preferred-seat/);
});

rule("searches of an offer are bought", async (client, namespace) => {
  const buyer = new Mneme(MNEME_URL, MNEME_BUYER);
  await client.put("trail", "The hut above the pass has water until September.", { namespace, wait: true });
  const { agent } = await client.account();
  const offered = async () => (await all(buyer.offers())).find((each) => each.seller === agent);
  if (!(await offered())) { // otherwise an earlier run has made it
    const { id } = await client.createOffer({ title: "Trails", description: "Day hikes.", terms: { price_search: 1000, price_entry: 100 } });
    await buyer.accept(id);
  }
  const offer = (await offered())!;
  const before = (await buyer.account()).balance;
  const { hits, charges } = await buyer.searchOffer(offer.id, { query: "Which hut has water?", max_charge: 10_000 });
  const amount = charges?.[0]?.amount ?? 0;
  assert.ok(hits[0]?.value && amount > 0);
  assert.equal((await buyer.account()).balance, before - amount);
  assert.equal((await all(buyer.usage()))[0]?.amount, amount);
  assert.equal((await client.refund(charges?.[0]?.id ?? "")).state, "refunded");
  assert.equal((await buyer.account()).balance, before);
  assert.deepEqual(await client.sales({ by: "buyer", to: "2000-01-01" }), []);
});

rule("an offer is changed and withdrawn", async (client) => {
  const { id } = await client.createOffer({ title: "Trails", description: "Day hikes.", terms: { price_search: 1000, price_entry: 100 } });
  const { offer, etag } = await client.offer(id);
  assert.equal(offer.terms.price_search, 1000);
  const { title, terms } = await client.changeOffer(id, { title: "Trails of the Alps", terms: { price_search: 3000 } }, { ifMatch: etag });
  assert.deepEqual([title, terms.price_search, terms.price_entry], ["Trails of the Alps", 3000, 100]);
  await assert.rejects(client.changeOffer(id, { caps: { entries_total: 1 } }, { ifMatch: etag }), PreconditionFailed);
  await assert.rejects(client.withdrawOffer(id, { ifMatch: etag }), PreconditionFailed);
  await client.withdrawOffer(id);
  assert.deepEqual((await client.storeOffers()).filter((each) => each.id === id).map((each) => each.state), ["withdrawn"]);
});

rule("what breaks a rule is named", async (client) => {
  await assert.rejects(client.search({ query: "secret words", where: { updated_at: { gte: "yesterday-ish" } } }), (error) =>
    error instanceof Invalid && error.field === "where.updated_at.gte" && !error.message.includes("secret"));
  for (const name of ["", ".", ".."]) await assert.rejects(async () => client.get(name), /neither empty/);
});

rule("a token that is not valid", async () => {
  await assert.rejects(new Mneme(MNEME_URL, "secret-token").account(), (error) => error instanceof Unauthorized && !error.message.includes("secret-token"));
});

test("only what is safe is repeated when the connection fails", async () => {
  const { client, sent } = mocked(() => new TypeError("secret"));
  await assert.rejects(client.put("a", 1), (error) => error instanceof TransportFailed && error.cause === undefined && !error.message.includes("secret"));
  assert.equal(sent.length, 1);
  for (const [call, times] of [
    [() => client.delete("a"), 1],
    [() => client.setLanguage("auto"), 1],
    [() => client.share("jonas", "read"), 1],
    [() => client.unshare("jonas"), 1],
    [() => client.changeOffer("an-offer", {}), 1],
    [() => client.withdrawOffer("an-offer"), 1],
    [() => client.batch([]), 4],
    [() => client.search("a"), 4],
  ] as const) {
    sent.length = 0;
    await assert.rejects(call(), TransportFailed);
    assert.equal(sent.length, times, String(call));
  }
});

test("refusals are tried again after the time that the server names", async () => {
  const put = (c: Mneme) => c.put("a", 1);
  const unshare = (c: Mneme) => c.unshare("jonas");
  const search = (c: Mneme) => c.search("a");
  for (const [status, call, times] of [[429, put, 4], [503, put, 1], [503, unshare, 1], [503, search, 4], [429, search, 4], [403, search, 1], [500, search, 1]] as const) {
    const { client, sent, pauses } = mocked(() => problem(status, { "Retry-After": "7" }));
    await assert.rejects(call(client), (error) => error instanceof MnemeError && error.status === status && error.retryAfter === 7);
    assert.deepEqual([sent.length, pauses], [times, Array(times - 1).fill(7)]);
  }
  const { client, sent, pauses } = mocked(() => problem(503, { "Retry-After": "3600" }));
  await assert.rejects(client.search("a"), Unavailable);
  assert.deepEqual([sent.length, pauses], [1, []]);
});

test("repetitions of a paid search have one key", async () => {
  const { client, sent, pauses } = mocked((n) => (n < 3 ? problem(503) : Response.json({ hits: [], degraded: [], incomplete: false })));
  await client.search({ query: "a", stores: ["shop"], max_charge: 100 });
  assert.deepEqual([new Set(sent.map((request) => request.headers.get("Idempotency-Key"))).size, sent.length, pauses.length], [1, 3, 2]);
  await client.search("a");
  assert.equal(sent.at(-1)?.headers.has("Idempotency-Key"), false);
});

test("keys are made without crypto.randomUUID, which pages of plain HTTP lack", async (t) => {
  t.mock.method(globalThis.crypto, "randomUUID", () => {
    throw new Error("there is none");
  });
  const { client, sent } = mocked(() => Response.json({ hits: [], degraded: [], incomplete: false }));
  for (let i = 0; i < 2; i++) {
    await client.search({ query: "a", stores: ["shop"], max_charge: 100 });
  }
  const keys = sent.map((request) => request.headers.get("Idempotency-Key") ?? "");
  assert.ok(keys[0] !== keys[1] && keys.every((key) => /^[0-9a-f]{32}$/.test(key)), keys.join());
});

test("searches of offers alone are sent by the fetch that pays", async () => {
  const paid: Request[] = [];
  const payingFetch = async (input: RequestInfo | URL) => {
    paid.push(input as Request);
    return problem(402);
  };
  const { client, sent } = mocked(() => Response.json({ hits: [], degraded: [], incomplete: false }), { payingFetch });
  await assert.rejects(client.searchOffer("an-offer", "a"), PaymentRequired);
  await client.search("a");
  assert.deepEqual([paid.length, sent.length], [1, 1]);
  assert.deepEqual(await paid[0]?.json(), { query: "a" });
});

test("a call ends when its time is over, or the caller has enough", async () => {
  const hanging: typeof fetch = (input) => new Promise((_, reject) => {
    const { signal } = input as Request;
    const alive = setInterval(() => undefined, 1000); // as a connection keeps the process
    signal.addEventListener("abort", () => {
      clearInterval(alive);
      reject(signal.reason as Error);
    });
  });
  const slow = new Mneme("http://server", "t", { fetch: hanging, timeout: 1, retries: 1, pause: async () => undefined });
  await assert.rejects(slow.search("a"), TransportFailed);
  const enough = new AbortController();
  const waiting = new Mneme("http://server", "t", { fetch: hanging }).search("a", { signal: enough.signal });
  enough.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
});

test("a connection that fails within an answer is a failed one", async () => {
  const broken = () => new Response(new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"hits":'));
      controller.error(new TypeError("secret"));
    },
  }));
  const { client, sent } = mocked((n) => (n === 1 ? broken() : Response.json({ hits: [], degraded: [], incomplete: false })));
  assert.deepEqual((await client.search("a")).hits, []);
  assert.equal(sent.length, 2);
});

test("an export may last longer than the time limit", async () => {
  const { client } = mocked(() => new Response(new ReadableStream({
    async start(controller) {
      for (const key of ["a", "b"]) {
        controller.enqueue(new TextEncoder().encode(`{"key":"${key}","value":1}\n`));
        await new Promise((resolve) => setTimeout(resolve, 600));
      }
      controller.close();
    },
  })), { timeout: 500 });
  assert.deepEqual((await all(client.export())).map((line) => line.key), ["a", "b"]);
});

test("an answer that cannot be read", async () => {
  const { client } = mocked(() => new Response("<html>secret"));
  await assert.rejects(client.account(), (error) => error instanceof UnreadableAnswer && !error.message.includes("secret"));
});

test("an export that breaks off is not taken for a whole one", async () => {
  const { client } = mocked(() => new Response(new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"key":"a","value":1}\n{"key":"b"'));
      controller.error(new TypeError("secret"));
    },
  })));
  await assert.rejects(all(client.export()), (error) => error instanceof TransportFailed && !error.message.includes("secret"));
});

test("an address is checked and not shown", () => {
  for (const url of ["server", "ftp://server", "http://user:secret@server", "http://server?token=secret", "http://"]) {
    assert.throws(() => new Mneme(url, "t"), (error) => error instanceof Error && !error.message.includes("secret"));
  }
});

test("every class of errors has the name that it is caught by", () => {
  assert.equal(new Forbidden("host", 403, {}).name, "Forbidden");
});
