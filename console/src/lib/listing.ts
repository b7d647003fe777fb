// The filters of the list of memories: as they stand in the address, as parameters of a
// listing, and as one condition of an export.

import type { Entry, Label } from "./api";
import { textOf } from "./format";

export const types = ["user", "feedback", "project", "reference"] as const;
export const labels: Label[] = ["PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"];

export interface Filters {
  namespace?: string; // "": the one without a name
  prefix?: string;
  tags?: string[];
  type?: (typeof types)[number];
  label?: Label;
  where?: string; // JSON
  match?: string; // JSON
}

// readFilters reads the filters of an address.
export function readFilters(query: URLSearchParams): Filters {
  const filters: Filters = {};
  const namespace = query.get("unnamed") === "1" ? "" : query.get("namespace");
  if (namespace !== null) filters.namespace = namespace;
  const prefix = query.get("prefix");
  if (prefix) filters.prefix = prefix;
  const tags = listOf(query.get("tags") ?? "");
  if (tags.length > 0) filters.tags = tags;
  const type = types.find((t) => t === query.get("type"));
  if (type) filters.type = type;
  const label = labels.find((l) => l === query.get("label"));
  if (label) filters.label = label;
  const where = query.get("where");
  if (where) filters.where = where;
  const match = query.get("match");
  if (match) filters.match = match;
  return filters;
}

// addressOfFilters are the filters as parameters of an address.
export function addressOfFilters({ namespace, tags, ...rest }: Filters): Record<string, string | undefined> {
  return { ...rest, namespace: namespace || undefined, unnamed: namespace === "" ? "1" : undefined, tags: tags && listText(tags) };
}

// An item in quotes, which may lack the last one while it is typed, or one without.
const items = /\s*"((?:[^"]|"")*)(?:"\s*(?=,|$)|$)|[^,]+/g;

// listOf reads a list that is typed with commas. An item with a comma is in quotes, and
// two quotes in it are one of its own: "Berlin, Germany", travel.
export function listOf(text: string): string[] {
  return Array.from(text.matchAll(items), ([item, quoted]) => quoted?.replaceAll('""', '"') ?? item.trim()).filter(Boolean);
}

// listText writes a list so that listOf reads the same one. One of a request that was
// written as JSON may have other items than text.
export function listText(list: string[]): string {
  return list.map(String).map((item) => (/^["\s]|,|\s$/.test(item) ? `"${item.replaceAll('"', '""')}"` : item)).join(", ");
}

// lastItem returns where the last item of a list begins, which may be empty as yet.
export function lastItem(text: string): number {
  const last = [...text.matchAll(items)].at(-1);
  return last && last.index + last[0].length === text.length ? last.index : text.length;
}

// listing is the filters as parameters of a listing, which has none for the label.
export function listing({ namespace, prefix, tags, type, label, where, match }: Filters) {
  const condition = all([...(label ? [{ label: { eq: label } }] : []), ...parsed(where)]);
  return {
    ...(namespace !== undefined ? { namespace } : {}),
    ...(prefix ? { prefix } : {}),
    ...(tags?.length ? { tag: tags } : {}),
    ...(type ? { type } : {}),
    ...(condition ? { where: condition } : {}),
    ...(match ? { match } : {}),
  };
}

// exporting is the same filters as an export takes them.
export function exporting({ namespace, prefix, tags, type, label, where, match }: Filters) {
  const condition = all([
    ...(namespace !== undefined ? [{ namespace: { eq: namespace } }] : []),
    ...(prefix ? [{ key: { prefix } }] : []),
    ...(tags ?? []).map((tag) => ({ tags: { contains: tag } })),
    ...(type ? [{ type: { eq: type } }] : []),
    ...(label ? [{ label: { eq: label } }] : []),
    ...parsed(where),
  ]);
  return { ...(condition ? { where: condition } : {}), ...(match ? { match } : {}) };
}

function all(conditions: unknown[]): string | undefined {
  if (conditions.length === 0) return undefined;
  return JSON.stringify(conditions.length === 1 ? conditions[0] : { and: conditions });
}

// What is no JSON goes to the service as it is, which refuses it.
function parsed(where: string | undefined): unknown[] {
  if (!where) return [];
  try {
    return [JSON.parse(where)];
  } catch {
    return [where];
  }
}

// Row is what the list keeps of an entry: of a hundred thousand, whole values would be
// too much.
export interface Row {
  id: string;
  store: string;
  namespace: string;
  key: string;
  label: Label;
  text: string; // its beginning
  encrypted: boolean; // it has no text that could be read
  tags: string[];
  occurred?: string;
  updated: string;
  expires?: string;
  version: number;
}

// sorts are the orders of a list: the service's own, by namespace and key, and those of
// dates, which are made of the whole list.
export const sorts = ["key", "happened", "written"] as const;
export type Sort = (typeof sorts)[number];

// before compares two rows for an order of dates, the newest first. A day, month or year
// compares as its beginning. Of what nobody said when it happened, the writing counts.
export function before(sort: Sort) {
  const when = (row: Row) => (sort === "written" ? row.updated : (row.occurred ?? row.updated));
  return (a: Row, b: Row) => (when(a) < when(b) ? 1 : when(a) > when(b) ? -1 : 0);
}

// wordsOf reads what was typed to search a list: words, and phrases in double quotes.
export function wordsOf(text: string): string[] {
  return Array.from(text.matchAll(/"([^"]+)"?|[^\s"]+/g), ([word, phrase]) => (phrase ?? word).trim()).filter(Boolean);
}

// wordsText writes words so that wordsOf reads the same ones.
export const wordsText = (words: string[]) => words.map((w) => (/\s/.test(w) ? `"${w}"` : w)).join(" ");

export const pathOf = (row: Row) => JSON.stringify([row.namespace, row.key]);

const beginning = 200;

export function rowOf(e: Entry): Row {
  return {
    id: e.id,
    store: e.store_id,
    namespace: e.namespace,
    key: e.key,
    label: e.label,
    text: e.encrypted ? "" : textOf(e.value).slice(0, beginning),
    encrypted: e.encrypted,
    tags: e.tags,
    ...(e.occurred_at ? { occurred: e.occurred_at } : {}),
    updated: e.updated_at,
    ...(e.expires_at ? { expires: e.expires_at } : {}),
    version: e.version,
  };
}
