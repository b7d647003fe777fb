/** Mastra's semantic recall, answered by mneme's own search: a vector stands for its text, and nothing is stored twice. */

import type { StorageThreadType } from "@mastra/core/memory";
import { MastraVector, type IndexStats, type MastraEmbeddingModel, type QueryResult, type QueryVectorParams, type UpsertVectorParams } from "@mastra/core/vector";

import { unescape } from "../name.js";
import { question } from "../question.js";
import { Objects } from "./dated.js";
import { Messages } from "./message.js";
import type { Store } from "./store.js";

/** UTF-16 units in one number of a vector: 48 of the 53 bits of a double's integers. */
const unitsPerNumber = 3;

/** Makes vectors by which MnemeVector knows a text again. They have no other use. */
export const embedder = {
  specificationVersion: "v3",
  provider: "mneme",
  modelId: "text",
  maxEmbeddingsPerCall: Number.POSITIVE_INFINITY,
  supportsParallelCalls: true,
  async doEmbed({ values }: { values: string[] }) {
    return { embeddings: values.map(vectorOf), usage: { tokens: 0 }, warnings: [] };
  },
} satisfies MastraEmbeddingModel<string>;

/** The messages of a MnemeStorage, as an index that is asked with the vectors of embedder. */
export class MnemeVector extends MastraVector {
  readonly #store: Store;
  readonly #threads: Objects<StorageThreadType>;
  readonly #messages: Messages;
  readonly #minRelevance: number;

  /** Leaves out messages of less than minRelevance, from 0 to 1. */
  constructor(store: Store, namespace: string, minRelevance: number) {
    super({ id: "mneme" });
    this.#store = store;
    this.#threads = new Objects(store, `${namespace}.threads`);
    this.#messages = new Messages(namespace);
    this.#minRelevance = minRelevance;
  }

  /** Finds messages of a resource or a thread, best first; the score is their relevance, a probability. */
  async query({ queryVector, topK = 10, filter }: QueryVectorParams): Promise<QueryResult[]> {
    const query = textOf(queryVector ?? []);
    const scope = await this.#scope(filter as Record<string, unknown> | undefined);
    if (!query.trim() || !scope) return [];
    const { hits } = await this.#store.client.search({
      query, stores: [this.#store.name], ...scope, limit: Math.min(Math.max(topK, 1), 100), min_relevance: this.#minRelevance, passages: true,
    });
    return hits.map((hit) => {
      const { resource, thread } = this.#messages.owner(hit.namespace ?? "");
      return { id: unescape(hit.key), score: hit.relevance, metadata: { message_id: unescape(hit.key), thread_id: thread, resource_id: resource } };
    });
  }

  /** Returns which messages are searched; undefined if there are none. */
  async #scope(filter: Record<string, unknown> = {}) {
    const { resource_id: resource, thread_id: thread, ...others } = filter;
    if (Object.keys(others).length > 0) throw new Error("semanticRecall.filter is not supported: messages are searched by resource or thread alone");
    if (typeof resource === "string") return { where: { namespace: { prefix: this.#messages.prefix(resource) } } };
    if (typeof thread !== "string") throw new Error("a search of messages needs a resource or a thread");
    const held = await this.#threads.get(thread);
    return held && { namespace: this.#messages.thread(held.value.resourceId, thread) };
  }

  // What an index of vectors has: the server indexes messages by itself.

  async upsert({ vectors, ids }: UpsertVectorParams): Promise<string[]> {
    return ids ?? vectors.map(() => crypto.randomUUID());
  }

  async createIndex(): Promise<void> {}

  async listIndexes(): Promise<string[]> {
    return [];
  }

  async describeIndex(): Promise<IndexStats> {
    return { dimension: 0, count: 0 };
  }

  async deleteIndex(): Promise<void> {}

  async updateVector(): Promise<void> {}

  async deleteVector(): Promise<void> {}

  async deleteVectors(): Promise<void> {}
}

/** Returns the length of a text and its UTF-16 units, three in a number. */
function vectorOf(text: string): number[] {
  const cut = question(text);
  const vector = [cut.length];
  for (let i = 0; i < cut.length; i += unitsPerNumber) {
    let packed = 0;
    for (let j = 0; j < unitsPerNumber; j++) packed = packed * 0x1_0000 + (i + j < cut.length ? cut.charCodeAt(i + j) : 0);
    vector.push(packed);
  }
  return vector;
}

/** Returns the text of a vector, or throws that it is of another embedder. */
function textOf([length = 0, ...numbers]: number[]): string {
  const fits = Number.isInteger(length) && Math.ceil(length / unitsPerNumber) === numbers.length && numbers.every((n) => Number.isSafeInteger(n) && n >= 0);
  if (!fits) throw new Error("the vector is of another embedder: make the memory with that of mneme-memory");
  return numbers
    .map((n) => String.fromCharCode(Math.floor(n / 0x1_0000_0000) % 0x1_0000, Math.floor(n / 0x1_0000) % 0x1_0000, n % 0x1_0000))
    .join("")
    .slice(0, length);
}
