/** Threads and resources: entries that are read, changed and written back, whoever else writes them. */

import { MnemeError, type components, type Mneme } from "mneme-client";

import { Batches, type Item } from "../connection.js";

type Entry = components["schemas"]["Entry"];
type Condition = components["schemas"]["Condition"];

/** How often a change is tried again after others' changes of the same entry. */
const maxTries = 10;

/** An entry's value with its ETag, for a write that must not undo another's. */
export interface Held<T> {
  value: T;
  etag: string;
}

/** The entries of one store, as objects. */
export class Store {
  readonly client: Mneme;
  readonly name: string;
  readonly batches: Batches;

  constructor(client: Mneme, name: string) {
    this.client = client;
    this.name = name;
    this.batches = new Batches(client, name);
  }

  /** Reads the objects of keys of a namespace; undefined for those that are not there. */
  async read<T>(namespace: string, keys: string[]): Promise<(Held<T> | undefined)[]> {
    const outcomes = await this.batches.read(keys.map((key) => ({ namespace, key })));
    return outcomes.map((outcome) => outcome?.entry && { value: outcome.entry.value as unknown as T, etag: outcome.etag ?? "" });
  }

  /** Returns the entries that fulfil a condition, of a namespace or of all. */
  list(options: { namespace?: string; where?: Condition }): AsyncGenerator<Entry> {
    return this.client.list({ store: this.name, ...options });
  }

  /** Writes what work returns, and asks it anew if others wrote in between. */
  async change<T>(work: () => Promise<{ items: Item[]; result: T }>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { items, result } = await work();
      try {
        await this.batches.write(items);
        return result;
      } catch (error) {
        if (tries >= maxTries || !(error instanceof MnemeError && (error.status === 412 || error.status === 404))) throw error;
      }
    }
  }
}

/** Returns the write of an object over the one that was read, or of a new one. */
export function over<T>(namespace: string, key: string, value: T, held: Held<unknown> | undefined): Item {
  const condition = held ? { if_match: held.etag } : { if_none_match: "*" };
  return { op: "put", namespace, key, value: JSON.parse(JSON.stringify(value)) as NonNullable<Item["value"]>, ...condition };
}
