/** A store of mneme, as Mastra's memory reads and writes it. */

import { MnemeError, type components, type Mneme } from "mneme-client";

import { Batches, type Item } from "../connection.js";

export type Entry = components["schemas"]["Entry"];
type Condition = components["schemas"]["Condition"];

/** How often a change is tried again after others' changes of the same entries. */
const maxTries = 10;

/** The entries of one store. */
export class Store {
  readonly client: Mneme;
  readonly name: string;
  readonly batches: Batches;

  constructor(client: Mneme, name: string) {
    this.client = client;
    this.name = name;
    this.batches = new Batches(client, name);
  }

  /** Returns the entries of a namespace or of all, those that fulfil a condition. */
  async list(options: { namespace?: string; where?: Condition }): Promise<Entry[]> {
    const list: Entry[] = [];
    for await (const entry of this.client.list({ store: this.name, ...options })) list.push(entry);
    return list;
  }

  /** Writes what work returns, and asks it anew if others wrote in between. */
  async change<T>(work: () => Promise<{ items: Item[]; result: T }>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { items, result } = await work();
      try {
        await this.batches.write(items);
        return result;
      } catch (error) {
        const outrun = error instanceof MnemeError && (error.status === 412 || error.status === 404);
        if (!outrun || tries >= maxTries) throw error;
      }
    }
  }
}
