/** Memory of Mastra's agents: MnemeMemory keeps threads, messages and working memory, and recalls by mneme's search. */

import { Memory } from "@mastra/memory";

import { connect, type Place } from "./connection.js";
import { embedder, MnemeVector } from "./mastra/recall.js";
import { MnemeStorage } from "./mastra/storage.js";
import { Store } from "./mastra/store.js";
import { defaultMinRelevance } from "./question.js";

export { ItemRefused, type Place } from "./connection.js";

type MemoryConfig = NonNullable<ConstructorParameters<typeof Memory>[0]>;

/** Where a memory is kept, and what else Mastra's Memory takes. */
export interface MnemeMemoryOptions extends Place {
  id?: string;
  name?: string;
  /** Begins the namespaces of what is kept: one for each app that shares a store; "mastra" unless given. */
  namespace?: string;
  /** Messages of less relevance, from 0 to 1, are not recalled; 0.03 unless given. */
  minRelevance?: number;
  /** The options of Mastra's Memory; semantic recall is on unless they say otherwise. */
  options?: NonNullable<MemoryConfig["options"]>;
}

/**
 * Mastra's Memory over a store of mneme, for `new Agent({ memory: new MnemeMemory() })`. Its
 * `storage` can be the storage of a Mastra instance, or give its domain "memory" to one.
 */
export class MnemeMemory extends Memory {
  constructor({ url, token, store = "self", client, namespace = "mastra", minRelevance = defaultMinRelevance, options, ...rest }: MnemeMemoryOptions = {}) {
    const entries = new Store(connect({ url, token, ...(client && { client }) }), store);
    super({
      ...rest,
      storage: new MnemeStorage(entries, namespace),
      vector: new MnemeVector(entries, namespace, minRelevance),
      embedder,
      options: { semanticRecall: true, ...options },
    });
  }

  /** Merges a call's options with the memory's. It throws of observational memory, with which Mastra would keep no messages here. */
  override getMergedThreadConfig(config?: Parameters<Memory["getMergedThreadConfig"]>[0]): ReturnType<Memory["getMergedThreadConfig"]> {
    const observing = config?.observationalMemory;
    if (observing === true || (typeof observing === "object" && observing.enabled !== false)) {
      throw new Error("observationalMemory is not supported: semantic recall and working memory are");
    }
    return super.getMergedThreadConfig(config);
  }
}
