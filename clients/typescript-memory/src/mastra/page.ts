/** Pages of messages: what listMessages of Mastra's storages answers. */

import {
  calculatePagination, filterByDateRange, normalizePerPage, storageMessageMatchesMetadataFilter, type StorageListMessagesByResourceIdInput,
  type StorageListMessagesInput, type StorageListMessagesOutput, validateStorageMetadataFilter,
} from "@mastra/core/storage";

import { key } from "../name.js";
import { byTime, type Messages } from "./message.js";
import { type Range, Reader } from "./reader.js";
import type { Entry, Store } from "./store.js";

type Input = StorageListMessagesInput | StorageListMessagesByResourceIdInput;
type Include = NonNullable<Input["include"]>;
export type Direction = "ASC" | "DESC";

/** Ids of one condition, at most. */
const maxIDs = 100;

/** Returns the messages of a range: with newest at least so many of the newest, if there are as many. */
type Read = (range: Range, newest: number | undefined) => Promise<Entry[]>;

/** The pages of one call. */
export class Pages {
  readonly #store: Store;
  readonly #messages: Messages;
  readonly #readers = new Map<string, Reader>();

  constructor(store: Store, messages: Messages) {
    this.#store = store;
    this.#messages = messages;
  }

  /** Returns the reader of a thread's namespace. */
  reader(namespace: string): Reader {
    const reader = this.#readers.get(namespace) ?? new Reader(this.#store, namespace);
    this.#readers.set(namespace, reader);
    return reader;
  }

  /** Returns a page of the messages that read returns, and those to be included. It throws an Error of what no page has. */
  async page(input: Input, direction: Direction, read: Read): Promise<StorageListMessagesOutput> {
    const { filter, page = 0, perPage: wanted } = input;
    const metadata = validateStorageMetadataFilter(filter?.metadata);
    const size = normalizePerPage(wanted, 40);
    if (page < 0 || page * size > Number.MAX_SAFE_INTEGER / 2) throw new Error(page < 0 ? "page must be >= 0" : "page value too large");
    const { offset, perPage } = calculatePagination(page, wanted, size);
    const enough = offset + size + 1;
    const newest = input.includeTotal === false && direction === "DESC" && !metadata && Number.isSafeInteger(enough) ? enough : undefined;
    const entries = size === 0 ? [] : await read({ from: date(filter?.dateRange?.start), to: date(filter?.dateRange?.end) }, newest);
    const dated = filterByDateRange(entries.sort(byTime), (entry) => this.#messages.message(entry).createdAt, filter?.dateRange);
    const fitting = inOrder(dated.filter((entry) => this.#fits(entry, input.resourceId, metadata)), direction);
    const shown = await this.#with(fitting.slice(offset, offset + size), input, direction);
    const hasMore = size > 0 && offset + size < fitting.length;
    return { messages: shown.map((entry) => this.#messages.message(entry)), total: fitting.length, page, perPage, hasMore };
  }

  /** Returns the entries of messages by their ids, of all threads or those of a resource. */
  async find(ids: string[], resource?: string): Promise<Entry[]> {
    const found: Entry[] = [];
    for (let i = 0; i < ids.length; i += maxIDs) {
      const where = { namespace: { prefix: this.#messages.prefix(resource) }, key: { in: ids.slice(i, i + maxIDs).map(key) } };
      found.push(...(await this.#store.list({ where })));
    }
    return found;
  }

  /** Returns entries with those to be included, each once, in a direction. */
  async #with(entries: Entry[], { include = [], resourceId }: Input, direction: Direction): Promise<Entry[]> {
    const all = new Map([...entries, ...(await this.#included(include, resourceId))].map((entry) => [entry.id, entry]));
    return all.size > entries.length ? inOrder([...all.values()].sort(byTime), direction) : entries;
  }

  /** Returns messages with those around them: of all threads, or those of a resource. */
  async #included(include: Include, resource: string | undefined): Promise<Entry[]> {
    const places = new Map((await this.find([...new Set(include.map(({ id }) => id))], resource)).map((entry) => [entry.key, entry]));
    const found = include.map(async ({ id, withPreviousMessages = 0, withNextMessages = 0 }) => {
      const place = places.get(key(id));
      return place ? this.reader(place.namespace).around(id, withPreviousMessages, withNextMessages) : [];
    });
    return (await Promise.all(found)).flat().filter((entry) => this.#fits(entry, resource, undefined));
  }

  #fits(entry: Entry, resource: string | undefined, metadata: ReturnType<typeof validateStorageMetadataFilter>): boolean {
    const message = this.#messages.message(entry);
    return (!resource || message.resourceId === resource) && storageMessageMatchesMetadataFilter(message.content, metadata);
  }
}

/** Returns entries, which are in the order of their times, in this direction. */
function inOrder(entries: Entry[], direction: Direction): Entry[] {
  return direction === "ASC" ? entries : entries.toReversed();
}

function date(given: Date | undefined): Date | undefined {
  return given && new Date(given);
}
