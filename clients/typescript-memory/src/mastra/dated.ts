/** Threads and resources: objects that are read, changed and written back, whoever else writes them. */

import { type components, parseJSON, stringifyJSON } from "mneme-client";

import type { Item } from "../connection.js";
import { key } from "../name.js";
import { withNumbers } from "./number.js";
import type { Store } from "./store.js";

/** An object of Mastra's with the times that all have. */
export interface Dated {
  id: string;
  createdAt: Date;
  updatedAt: Date;
}

/** An object with the ETag of its entry, for a write that must not undo another's. */
export interface Held<T> {
  value: T;
  etag: string;
}

/** The objects of one namespace, each under its id. */
export class Objects<T extends Dated> {
  readonly namespace: string;
  readonly #store: Store;

  constructor(store: Store, namespace: string) {
    this.#store = store;
    this.namespace = namespace;
  }

  /** Reads an object; undefined if it is not there. */
  async get(id: string): Promise<Held<T> | undefined> {
    return (await this.read([id]))[0];
  }

  /** Reads objects, in the order of their ids; undefined for those that are not there. */
  async read(ids: string[]): Promise<(Held<T> | undefined)[]> {
    const outcomes = await this.#store.batches.read(ids.map((id) => ({ namespace: this.namespace, key: key(id) })));
    return outcomes.map((outcome) => outcome?.entry && { value: this.#object(outcome.entry.value), etag: outcome.etag ?? "" });
  }

  /** Returns all objects, or those that fulfil a condition. */
  async list(where?: components["schemas"]["Condition"]): Promise<T[]> {
    const entries = await this.#store.list({ namespace: this.namespace, ...(where && { where }) });
    return entries.map((entry) => this.#object(entry.value));
  }

  /** Returns the write of an object in place of the one that was read, or of a new one. */
  put(object: T, held: Held<T> | undefined): Item {
    const condition = held ? { if_match: held.etag } : { if_none_match: "*" };
    const value = parseJSON(stringifyJSON(object)) as NonNullable<Item["value"]>;
    return { op: "put", namespace: this.namespace, key: key(object.id), value, ...condition };
  }

  /** Returns the deletion of an object as it was read. */
  delete(held: Held<T>): Item {
    return { op: "delete", namespace: this.namespace, key: key(held.value.id), if_match: held.etag };
  }

  #object(value: unknown): T {
    const { createdAt, updatedAt, ...object } = withNumbers(value) as { createdAt: string; updatedAt: string };
    return { ...object, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) } as T;
  }
}

/** Returns now, or what is right after an instant that is later. */
export function after(instant: Date): Date {
  return new Date(Math.max(Date.now(), instant.getTime() + 1));
}
