/** The parts of requests: names in paths, parameters, headers, pages. */

import { stringifyJSON, unguessed } from "./json.js";
import type { components } from "./schema.js";

type Schemas = components["schemas"];

/** Number of entries of a page. */
export const pageSize = 100;

/** Returns a store, key or id as a path segment. */
export function name(text: string | undefined): string {
  if (text === undefined) return "self";
  if (text === "" || text === "." || text === "..") throw new Error("a store or key must be neither empty nor a dot segment");
  return text;
}

/**
 * Returns the path and the query of an entry. A key with slashes is sent in the query: proxies
 * may refuse %2F in a path, or decode it.
 */
export function ofEntry<Q extends object>(store: string | undefined, key: string, query: Q) {
  if (key.includes("/")) return { path: { store: name(store), key: "-" }, query: { ...query, key } };
  return { path: { store: name(store), key: name(key) }, query };
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the members that are not undefined. */
export function given<T extends object>(members: T): Given<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** Returns the header that makes a call idempotent. */
export function once(key: string = unguessed()) {
  return { "Idempotency-Key": key };
}

/** Returns the parameters of a list or an export. */
export function filters(where: Schemas["Condition"] | undefined, match: Schemas["Words"] | undefined) {
  return { where: where && stringifyJSON(where), match: match && stringifyJSON(match) };
}

/** Yields the items of all pages. */
export async function* pages<P extends { next_cursor?: string }, T>(read: (cursor: string | undefined) => Promise<P>, items: (page: P) => T[]): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* items(page);
    cursor = page.next_cursor;
  } while (cursor);
}
