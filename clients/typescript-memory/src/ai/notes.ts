/** One namespace of a store, as models read and write it. */

import { type components, type Mneme, MnemeError, NotFound, PreconditionFailed, type PutOptions, stringifyJSON, TransportFailed } from "mneme-client";

import { marked } from "../attachment.js";
import { connect, type Place } from "../connection.js";
import { defaultMinRelevance } from "../question.js";

type Schemas = components["schemas"];

/** What is searched, and how much of it is shown. */
export interface SearchOptions extends Place {
  /** The namespace of the memories; the empty one, as that of the tools over MCP, unless given. */
  namespace?: string;
  /** Memories of less relevance, from 0 to 1, are not found; 0.03 unless given. */
  minRelevance?: number;
  /** What the found memories may take, in tokens, at least 50; 2,000 unless given. */
  maxTokens?: number;
}

/** What is told to the model of a memory that was found. */
export interface Found {
  key: string;
  /** The text, or the passages of a long one that answer best, with dots between them. */
  content: string;
  relevance: number;
  tags?: string[];
  occurred_at?: string;
  /** The day when it was written, if it is not known when it happened. */
  written?: string;
  /** There is more: memory_get has it. */
  truncated?: boolean;
}

/** A namespace of memories. */
export class Notes {
  readonly #client: Mneme;
  readonly #store: string;
  readonly #namespace: string;
  readonly #minRelevance: number;
  readonly #maxTokens: number;

  constructor(options: SearchOptions) {
    this.#client = connect(options);
    this.#store = options.store ?? "self";
    this.#namespace = options.namespace ?? "";
    this.#minRelevance = options.minRelevance ?? defaultMinRelevance;
    this.#maxTokens = options.maxTokens ?? 2000;
  }

  /** Searches; nearest is how many memories are named where none is relevant, from 0 to 3. */
  search(query: string, limit: number, nearest: number, signal?: AbortSignal): Promise<Schemas["Answer"]> {
    const scope = { stores: [this.#store], namespace: this.#namespace };
    const question = { query, ...scope, limit, nearest, min_relevance: this.#minRelevance, max_tokens: this.#maxTokens, passages: true };
    return told(this.#client.search(question, given(signal)));
  }

  /** Reads a memory with its ETag; undefined if it is not there. */
  async get(key: string, signal?: AbortSignal): Promise<{ entry: Schemas["Entry"]; etag: string } | undefined> {
    return told(this.#client.get(key, { ...this.#place(), ...given(signal) }).catch(absent));
  }

  /** Returns the first memories whose keys begin with a prefix, those of a tag: at most so many. */
  list(most: number, options: { prefix?: string; tag?: string[] }, signal?: AbortSignal): Promise<Schemas["Entry"][]> {
    return told(first(most, this.#client.list({ ...this.#place(), ...options, ...given(signal) })));
  }

  /** Writes a memory. */
  async put(key: string, value: string, options: PutOptions, signal?: AbortSignal): Promise<void> {
    await told(this.#client.put(key, value, { ...options, ...this.#place(), ...given(signal) }));
  }

  /** Deletes a memory, and reports whether it was there. */
  async delete(key: string, signal?: AbortSignal): Promise<boolean> {
    const done = await told(this.#client.delete(key, { ...this.#place(), ...given(signal) }).then(() => true).catch(absent));
    return done ?? false;
  }

  #place() {
    return { store: this.#store, namespace: this.#namespace };
  }
}

/** Returns when it happened, or else the day when it was written, if that is known. */
export function dated({ occurred_at, updated_at }: { occurred_at?: string; updated_at?: string }): { occurred_at?: string; written?: string } {
  if (occurred_at) return { occurred_at };
  return updated_at ? { written: updated_at.slice(0, 10) } : {};
}

/** Returns a hit as models read it. */
export function foundOf(hit: Schemas["Hit"]): Found {
  return {
    key: hit.key,
    content: hit.passages ? hit.passages.map(({ text }) => text).join("\n…\n") : marked(textOf(hit.value), true),
    relevance: Math.round(hit.relevance * 100) / 100,
    ...(hit.tags?.length ? { tags: hit.tags } : {}),
    ...dated(hit),
    ...(hit.truncated ? { truncated: true } : {}),
  };
}

/** Returns the text of a value: what is no text as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : stringifyJSON(value ?? null);
}

/** Returns the answer of a call, or throws an Error that a model can act on: what the server says, without its address. */
export async function told<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw sayable(error);
  }
}

function sayable(error: unknown): unknown {
  if (error instanceof PreconditionFailed) return new Error("the memory was changed meanwhile: read it again", { cause: error });
  if (error instanceof MnemeError) return new Error(error.problem.detail ?? error.problem.title ?? `the memory answered ${error.status}`, { cause: error });
  if (error instanceof TransportFailed) return new Error("the memory cannot be reached", { cause: error });
  return error;
}

async function first<T>(most: number, items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) {
    list.push(item);
    if (list.length === most) break;
  }
  return list;
}

function absent(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error;
}

function given(signal: AbortSignal | undefined) {
  return signal ? { signal } : {};
}
