/** Reads the messages of a thread, no more of a long one than is needed. */

import { key } from "../name.js";
import { byTime } from "./message.js";
import type { Entry, Store } from "./store.js";

/** A thread of no more messages is read as a whole, in one request: it is a page. */
const short = 100;

const hour = 3_600_000;

/** How far from an instant messages are looked for, in milliseconds, one after the other. */
const widths = [hour, 24 * hour, 30 * 24 * hour, Number.POSITIVE_INFINITY];

/** Instants from and to which messages are wanted, both included. */
export interface Range {
  from?: Date | undefined;
  to?: Date | undefined;
}

/** The messages of one thread, for one call. */
export class Reader {
  readonly #store: Store;
  readonly #namespace: string;
  #whole: Promise<Entry[] | undefined> | undefined;

  constructor(store: Store, namespace: string) {
    this.#store = store;
    this.#namespace = namespace;
  }

  /** Returns the messages of a range by time. */
  async all(range: Range): Promise<Entry[]> {
    return (await this.#shortThread(range)) ?? this.#read(range);
  }

  /** Returns at least the newest n messages of a range, if it has as many, by time. They are looked for before last. */
  newest(n: number, range: Range, last: Date): Promise<Entry[]> {
    const end = range.to && range.to < last ? range.to : last;
    return this.#widen(range, end, { after: Number.POSITIVE_INFINITY }, (found) => found.length >= n);
  }

  /** Returns a message with those before and after it, by time; none if it is not there. */
  async around(id: string, before: number, after: number): Promise<Entry[]> {
    const whole = await this.#shortThread({});
    const at = (found: Entry[]) => found.findIndex((entry) => entry.key === key(id));
    const cut = (found: Entry[]) => (at(found) < 0 ? [] : found.slice(Math.max(0, at(found) - before), at(found) + after + 1));
    if (whole) return cut(whole);
    const [outcome] = await this.#store.batches.read([{ namespace: this.#namespace, key: key(id) }]);
    if (!outcome?.entry) return [];
    const made = new Date(outcome.entry.occurred_at ?? outcome.entry.created_at);
    return cut(await this.#widen({}, made, {}, (found) => at(found) >= before && found.length - at(found) > after));
  }

  async #widen(range: Range, middle: Date, { after }: { after?: number }, enough: (found: Entry[]) => boolean): Promise<Entry[]> {
    const whole = await this.#shortThread(range);
    if (whole) return whole;
    for (const width of widths) {
      const found = await this.#read({
        from: latest(range.from, instant(middle.getTime() - width)),
        to: earliest(range.to, instant(middle.getTime() + (after ?? width))),
      });
      if (width === Number.POSITIVE_INFINITY || enough(found)) return found;
    }
    return [];
  }

  /** Returns the messages of a range in a thread that is short; undefined of another. */
  async #shortThread(range: Range): Promise<Entry[] | undefined> {
    this.#whole ??= this.#firstPage();
    return (await this.#whole)?.filter((entry) => within(entry, range));
  }

  async #firstPage(): Promise<Entry[] | undefined> {
    const found: Entry[] = [];
    for await (const entry of this.#store.client.list({ store: this.#store.name, namespace: this.#namespace })) {
      if (found.length === short) return undefined;
      found.push(entry);
    }
    return found.sort(byTime);
  }

  async #read({ from, to }: Range): Promise<Entry[]> {
    const time = { ...(from && { gte: from.toISOString() }), ...(to && { lt: new Date(to.getTime() + 1).toISOString() }) };
    const where = from || to ? { where: { occurred_at: time } } : {};
    return (await this.#store.list({ namespace: this.#namespace, ...where })).sort(byTime);
  }
}

function within(entry: Entry, { from, to }: Range): boolean {
  const made = new Date(entry.occurred_at ?? entry.created_at);
  return (!from || made >= from) && (!to || made <= to);
}

function instant(ms: number): Date | undefined {
  return Number.isFinite(ms) ? new Date(ms) : undefined;
}

function latest(a: Date | undefined, b: Date | undefined): Date | undefined {
  return a && b ? (a > b ? a : b) : (a ?? b);
}

function earliest(a: Date | undefined, b: Date | undefined): Date | undefined {
  return a && b ? (a < b ? a : b) : (a ?? b);
}
