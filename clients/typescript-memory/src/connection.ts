/** How the memories reach their server: the client, and batches of any size. */

import { type components, Mneme, stringifyJSON } from "mneme-client";

type Schemas = components["schemas"];
export type Item = Schemas["BatchItem"];
export type Outcome = Schemas["BatchOutcome"];

/** Items of one batch, at most. */
const maxItems = 1000;

/** Bytes of the items of one batch, at most: below the 10 MB of a request. */
const maxBytes = 8_000_000;

/** Where memories are kept. */
export interface Place {
  /** The server's address, by default MNEME_URL, else http://127.0.0.1:7077. */
  url?: string | undefined;
  /** Says whose memories these are; by default MNEME_TOKEN. */
  token?: string | undefined;
  /** A store that is shared with the agent of the token; its own unless given. */
  store?: string;
  /** Is used in place of a client of url and token. */
  client?: Mneme;
}

/** Returns the client of a place, or throws an Error that there is no token. */
export function connect(place: Place): Mneme {
  if (place.client) return place.client;
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const token = place.token || process?.env?.["MNEME_TOKEN"];
  if (!token) throw new Error("no token: pass one, or set MNEME_TOKEN");
  return new Mneme(place.url || process?.env?.["MNEME_URL"] || "http://127.0.0.1:7077", token);
}

/** The server refused an item of a batch, and did the others. Its message has nothing that was written. */
export class ItemRefused extends Error {
  override name = "ItemRefused";
  /** The HTTP status that the item would have had alone. */
  readonly status: number;
  /** The place in the item that breaks a rule; "" if none is named. */
  readonly field: string;

  constructor(problem: Schemas["BatchProblem"]) {
    super(`mneme: ${problem.detail ?? problem.title} (${problem.status})`);
    this.status = problem.status;
    this.field = problem.field ?? "";
  }
}

/** Entries of a store, in batches. */
export class Batches {
  readonly #client: Mneme;
  readonly #store: string;

  constructor(client: Mneme, store: string) {
    this.#client = client;
    this.#store = store;
  }

  /** Reads entries with their ETags; undefined for those that are not there. */
  async read(places: { namespace: string; key: string }[]): Promise<(Outcome | undefined)[]> {
    const items = places.map(({ namespace, key }): Item => ({ op: "get", namespace, key }));
    const outcomes: Outcome[] = [];
    while (outcomes.length < items.length) {
      const part = firstBatch(items.slice(outcomes.length));
      const answer = await this.#client.batch(part, { store: this.#store });
      const full = answer.outcomes.findIndex((outcome, i) => i > 0 && outcome.status === 413); // the next answer may have room
      outcomes.push(...(full < 0 ? answer.outcomes : answer.outcomes.slice(0, full)));
    }
    return outcomes.map((outcome) => found(outcome));
  }

  /** Deletes entries, those that are there. */
  async delete(places: { namespace: string; key: string }[]): Promise<void> {
    const items = places.map(({ namespace, key }): Item => ({ op: "delete", namespace, key }));
    for (let done = 0; done < items.length; ) {
      const part = firstBatch(items.slice(done));
      (await this.#client.batch(part, { store: this.#store })).outcomes.forEach(found);
      done += part.length;
    }
  }

  /** Does puts and deletes in order: all or none of as many as fit in one batch. It throws the client's errors. */
  async write(items: Item[]): Promise<void> {
    for (let done = 0; done < items.length; ) {
      const part = firstBatch(items.slice(done));
      await this.#client.batch(part, { store: this.#store, atomic: true });
      done += part.length;
    }
  }
}

/** Returns the outcome of an entry that is there, or throws why it was refused. */
function found(outcome: Outcome): Outcome | undefined {
  if (outcome.status === 404) return undefined;
  if (outcome.problem) throw new ItemRefused(outcome.problem);
  return outcome;
}

/** Returns the first items that fit in one batch, at least one. */
function firstBatch(items: Item[]): Item[] {
  let room = maxBytes;
  let n = 0;
  for (const item of items.slice(0, maxItems)) {
    room -= new TextEncoder().encode(stringifyJSON(item)).length;
    if (n > 0 && room < 0) break;
    n++;
  }
  return items.slice(0, n);
}
