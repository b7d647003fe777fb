// Changes of many memories at once, each with its own outcome, and how they are undone.

import { api, done, Failure, failureOf, type Entry, type Schemas } from "./api";
import { t } from "./i18n.svelte";
import { listText, pathOf, type Row } from "./listing";
import { elementsOf, entryOf, memberOf, withValue } from "./verbatim";

type Item = Schemas["BatchItem"] & { json?: string }; // json is the text of its value
type Outcome = Schemas["BatchOutcome"] & { text?: string }; // text is the JSON of its entry

export interface Refused {
  row: Row;
  why: string;
}

// Change is a completed change. undo reverts it, and is absent if that is impossible.
export interface Change {
  title: (count: number) => string; // such as "Deleted: 3 memories"
  done: Row[];
  unchanged: number;
  refused: Refused[];
  undo?: (progress: (n: number) => void) => Promise<Change>;
}

const partItems = 50; // of 100 kB each at most: half of what a batch takes
const atOnce = 4;

const params = (row: Row) => ({ path: { store: row.store, key: row.key }, query: row.namespace ? { namespace: row.namespace } : {} });
const why = (problem: Schemas["BatchProblem"] | undefined) => (problem ? (problem.detail ? t("failure.sentence", { title: problem.title, detail: problem.detail }) : problem.title) : t("word.refused"));

function begin(title: Change["title"]): Change {
  return { title, done: [], unchanged: 0, refused: [] };
}

async function batch(store: string, items: Item[]): Promise<Outcome[]> {
  const texts = items.map(({ json, ...item }) => (json === undefined ? JSON.stringify(item) : withValue(item, json)));
  const { data } = await done(
    api.POST("/v1/stores/{store}/memories:batch", {
      params: { path: { store } },
      body: { items },
      bodySerializer: () => `{"items":[${texts.join()}]}`,
      parseAs: "text",
    }),
  );
  return elementsOf(data, "outcomes").map((outcome) => {
    const text = memberOf(outcome, "entry");
    return { ...(JSON.parse(outcome) as Outcome), ...(text ? { text } : {}) };
  });
}

function partsOf<T>(all: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

// each calls one thing of each row, a few at once. A call that fails refuses its row.
async function each(rows: Row[], change: Change, progress: (n: number) => void, call: (row: Row) => Promise<void>) {
  for (const part of partsOf(rows, atOnce)) {
    await Promise.all(
      part.map(async (row) => {
        try {
          await call(row);
          change.done.push(row);
        } catch (thrown) {
          const f = failureOf(thrown);
          change.refused.push({ row, why: f.sentence });
        }
      }),
    );
    progress(change.done.length + change.unchanged + change.refused.length);
  }
}

// inParts sends batches. A batch that fails refuses its rows.
async function inParts(store: string, rows: Row[], change: Change, progress: (n: number) => void, send: (part: Row[]) => Promise<void>) {
  for (const part of partsOf(rows, partItems)) {
    try {
      await send(part);
    } catch (thrown) {
      const f = failureOf(thrown);
      const told = new Set([...change.done, ...change.refused.map((r) => r.row)].map(pathOf));
      for (const row of part) if (!told.has(pathOf(row))) change.refused.push({ row, why: f.title });
    }
    progress(change.done.length + change.unchanged + change.refused.length);
  }
}

const item = (row: Row) => ({ key: row.key, ...(row.namespace ? { namespace: row.namespace } : {}) });

export async function remove(store: string, rows: Row[], progress: (n: number) => void): Promise<Change> {
  const change = begin((n) => t("done.deleted", { n }));
  await inParts(store, rows, change, progress, async (part) => {
    const outcomes = await batch(store, part.map((row) => ({ op: "delete" as const, ...item(row) })));
    outcomes.forEach((o, i) => (o.status < 300 ? change.done.push(part[i]!) : change.refused.push({ row: part[i]!, why: why(o.problem) })));
  });
  if (change.done.length > 0) change.undo = (p) => restore(change.done, p);
  return change;
}

export async function restore(rows: Row[], progress: (n: number) => void): Promise<Change> {
  const change = begin((n) => t("done.restored", { n }));
  await each(rows, change, progress, async (row) => {
    const { data } = await done(api.POST("/v1/stores/{store}/memories/{key}/restore", { params: params(row), body: {} }));
    if (data.id !== row.id) throw new Failure(() => t("memories.restoredAnother"), "", 0, ""); // it restores what was deleted last
  });
  return change;
}

// rewrite writes each entry with its changes. Concurrent writes are not overwritten.
async function rewrite(store: string, rows: Row[], title: Change["title"], differs: (e: Entry) => Partial<Item> | null, progress: (n: number) => void): Promise<Change> {
  const change = begin(title);
  const before = new Map<string, { entry: Entry; changed: Partial<Item> }>();
  await inParts(store, rows, change, progress, async (part) => {
    const got = await batch(store, part.map((row) => ({ op: "get" as const, ...item(row) })));
    const puts: { row: Row; put: Item }[] = [];
    got.forEach((o, i) => {
      const row = part[i]!;
      if (!o.text) return void change.refused.push({ row, why: why(o.problem) });
      const entry = entryOf(o.text);
      const other = differs(entry);
      if (!other) return void change.unchanged++;
      before.set(pathOf(row), { entry, changed: other });
      puts.push({ row, put: { op: "put", ...item(row), json: entry.json, ...(o.etag ? { if_match: o.etag } : {}), ...other } as Item });
    });
    if (puts.length === 0) return;
    const outcomes = await batch(store, puts.map((p) => p.put));
    outcomes.forEach((o, i) => (o.status < 300 ? change.done.push(puts[i]!.row) : change.refused.push({ row: puts[i]!.row, why: why(o.problem) })));
  });
  if (change.done.length > 0) {
    change.undo = (p) =>
      rewrite(store, change.done, (n) => t("done.undone", { n }), (now) => {
        const { entry: was, changed } = before.get(pathOf({ namespace: now.namespace, key: now.key } as Row))!;
        return {
          ...(changed.tags ? { tags: was.tags } : {}),
          ...(changed.ttl !== undefined ? { ttl: was.expires_at ? secondsTo(was.expires_at) : 0 } : {}),
        };
      }, p);
  }
  return change;
}

// secondsTo is the ttl that ends at a time; one second at least.
export function secondsTo(time: string) {
  return Math.max(1, Math.ceil((Date.parse(time) - Date.now()) / 1000));
}

export function tag(store: string, rows: Row[], tags: string[], progress: (n: number) => void) {
  return rewrite(store, rows, (n) => t("done.tagged", { tags: listText(tags), n }), (e) => (tags.every((t) => e.tags.includes(t)) ? null : { tags: [...new Set([...e.tags, ...tags])] }), progress);
}

export function untag(store: string, rows: Row[], tags: string[], progress: (n: number) => void) {
  return rewrite(store, rows, (n) => t("done.untagged", { tags: listText(tags), n }), (e) => (tags.some((t) => e.tags.includes(t)) ? { tags: e.tags.filter((t) => !tags.includes(t)) } : null), progress);
}

// expire sets when entries end: in so many seconds; 0: never.
export function expire(store: string, rows: Row[], seconds: number, progress: (n: number) => void) {
  return rewrite(store, rows, (n) => (seconds ? t("done.expirySet", { n }) : t("done.expiryRemoved", { n })), (e) => (!seconds && !e.expires_at ? null : { ttl: seconds }), progress);
}

// move gives keys that begin with one text another beginning.
export async function move(rows: Row[], from: string, to: string, progress: (n: number) => void): Promise<Change> {
  const change = begin((n) => t("done.moved", { n }));
  const fits = rows.filter((r) => r.key.startsWith(from));
  change.unchanged = rows.length - fits.length;
  await each(fits, change, progress, async (row) => {
    await done(api.POST("/v1/stores/{store}/memories/{key}/rename", { params: params(row), body: { to: to + row.key.slice(from.length) } }));
  });
  if (change.done.length > 0) change.undo = (p) => move(change.done.map((r) => ({ ...r, key: to + r.key.slice(from.length) })), to, from, p);
  return change;
}

// lines reads whole entries, as an export has them. Those that are gone are refused.
export async function lines(store: string, rows: Row[], progress: (n: number) => void): Promise<Change & { blob: Blob }> {
  const change = begin((n) => t("done.exported", { n }));
  const kept: string[] = [];
  await inParts(store, rows, change, progress, async (part) => {
    const outcomes = await batch(store, part.map((row) => ({ op: "get" as const, ...item(row) })));
    outcomes.forEach((o, i) => {
      if (!o.text) return change.refused.push({ row: part[i]!, why: why(o.problem) });
      kept.push(`${o.text.replace(/[\r\n]/g, " ")}\n`); // between its tokens
      return change.done.push(part[i]!);
    });
  });
  return { ...change, blob: new Blob(kept, { type: "application/x-ndjson" }) };
}
