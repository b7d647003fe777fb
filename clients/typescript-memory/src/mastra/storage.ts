/** Mastra's storage of threads, messages and working memory: its domain "memory". */

import { MessageList } from "@mastra/core/agent";
import type { MastraDBMessage, StorageThreadType } from "@mastra/core/memory";
import {
  calculatePagination, filterByDateRange, jsonValueEquals, MastraCompositeStore, MemoryStorage, normalizePerPage, storageMessageMatchesMetadataFilter,
  type StorageCloneThreadInput, type StorageCopyThreadOutput, type StorageListMessagesByResourceIdInput, type StorageListMessagesInput,
  type StorageListMessagesOutput, type StorageListThreadsInput, type StorageListThreadsOutput, type StorageResourceType, validateStorageMetadataFilter,
} from "@mastra/core/storage";
import type { components } from "mneme-client";

import type { Item } from "../connection.js";
import { key } from "../name.js";
import { byTime, Messages, threadOf } from "./message.js";
import { Reader } from "./reader.js";
import { over, type Held, type Store } from "./store.js";

type Entry = components["schemas"]["Entry"];
type Update = Parameters<MemoryStorage["updateMessages"]>[0]["messages"][number];
type Include = NonNullable<StorageListMessagesInput["include"]>;
type Direction = "ASC" | "DESC";

/** Ids of one condition, at most. */
const maxIDs = 100;

/** A thread or a resource as it is kept: its times are texts. */
type Kept<T> = Omit<T, "createdAt" | "updatedAt"> & { createdAt: string; updatedAt: string };

/** A storage whose domain "memory" is a store of mneme; the others are those of other storages. */
export class MnemeStorage extends MastraCompositeStore {
  constructor(store: Store, namespace: string) {
    super({ id: "mneme", name: "mneme" });
    this.stores = { memory: new MnemeMemoryStorage(store, namespace) };
  }
}

/**
 * Threads are in the namespace "mastra.threads", resources with their working memory in
 * "mastra.resources", and the messages of a thread in "mastra.messages.RESOURCE.THREAD". What
 * is deleted goes to the store's trash. Methods throw the client's errors.
 */
export class MnemeMemoryStorage extends MemoryStorage {
  override readonly supportsPartialThreadUpdate = true;
  readonly #store: Store;
  readonly #namespace: string;
  readonly #messages: Messages;

  constructor(store: Store, namespace: string) {
    super();
    this.#store = store;
    this.#namespace = namespace;
    this.#messages = new Messages(namespace);
  }

  // Threads

  async getThreadById({ threadId, resourceId }: { threadId: string; resourceId?: string }): Promise<StorageThreadType | null> {
    const [held] = await this.#threads([threadId]);
    return held && (resourceId === undefined || held.value.resourceId === resourceId) ? threadOfKept(held.value) : null;
  }

  /** Writes a thread. Its messages follow it to another resource. */
  async saveThread({ thread }: { thread: StorageThreadType }): Promise<StorageThreadType> {
    await this.#store.change(async () => {
      const [held] = await this.#threads([thread.id]);
      const moved = held && held.value.resourceId !== thread.resourceId ? await this.#moves(thread.id, held.value.resourceId, thread.resourceId) : [];
      return { items: [...moved, this.#threadItem(thread, held)], result: undefined };
    });
    return thread;
  }

  async updateThread({ id, title, metadata }: { id: string; title?: string; metadata?: Record<string, unknown> }): Promise<StorageThreadType> {
    return this.#store.change(async () => {
      const held = await this.#thread(id);
      const old = threadOfKept(held.value);
      const thread: StorageThreadType = {
        ...old,
        ...(title === undefined ? {} : { title }),
        ...(metadata === undefined ? {} : { metadata: { ...old.metadata, ...metadata } }),
        updatedAt: after(old.updatedAt),
      };
      return { items: [this.#threadItem(thread, held)], result: thread };
    });
  }

  /** Deletes a thread with its messages, those too that are written meanwhile. */
  async deleteThread({ threadId }: { threadId: string }): Promise<void> {
    await this.#store.change(async () => {
      const [held] = await this.#threads([threadId]);
      if (!held) return { items: [], result: undefined };
      const namespace = this.#messages.thread(held.value.resourceId, threadId);
      await this.#store.batches.delete(await all(this.#store.list({ namespace })));
      return { items: [{ op: "delete", namespace: this.#threadsIn, key: key(threadId), if_match: held.etag }], result: undefined };
    });
  }

  async listThreads({ page = 0, perPage: wanted, orderBy, filter }: StorageListThreadsInput): Promise<StorageListThreadsOutput> {
    const { field, direction } = this.parseOrderBy(orderBy);
    this.validatePaginationInput(page, wanted ?? 100);
    this.validateMetadataKeys(filter?.metadata);
    const size = normalizePerPage(wanted, 100);
    const { offset, perPage } = calculatePagination(page, wanted, size);
    const where = filter?.resourceId ? { where: { "value.resourceId": { eq: filter.resourceId } } } : {};
    const threads = (await all(this.#store.list({ namespace: this.#threadsIn, ...where })))
      .map((entry) => threadOfKept(entry.value as unknown as Kept<StorageThreadType>))
      .filter((thread) => Object.entries(filter?.metadata ?? {}).every(([name, value]) => jsonValueEquals(thread.metadata?.[name], value)))
      .sort((a, b) => signed(direction) * (a[field].getTime() - b[field].getTime()));
    return { threads: threads.slice(offset, offset + size), total: threads.length, page, perPage, hasMore: offset + size < threads.length };
  }

  /** Copies a thread and its messages, which get new ids. */
  override async copyThread(input: StorageCloneThreadInput): Promise<StorageCopyThreadOutput> {
    const source = await this.#thread(input.sourceThreadId, "Source thread");
    const messages = await this.#copied(input, source.value.resourceId);
    const now = new Date();
    const title = input.title || (source.value.title ? `Clone of ${source.value.title}` : undefined);
    const last = messages.at(-1)?.id;
    const thread: StorageThreadType = {
      id: input.newThreadId || crypto.randomUUID(),
      resourceId: input.resourceId || source.value.resourceId,
      ...(title === undefined ? {} : { title }),
      metadata: { ...input.metadata, clone: { sourceThreadId: input.sourceThreadId, clonedAt: now, ...(last === undefined ? {} : { lastMessageId: last }) } },
      createdAt: now,
      updatedAt: now,
    };
    if ((await this.#threads([thread.id]))[0]) throw new Error(`Thread with id ${thread.id} already exists`);
    const ids = new Map(messages.map((message) => [message.id, crypto.randomUUID()]));
    const copies = messages.map((message) => ({
      ...message, id: ids.get(message.id)!, threadId: thread.id, resourceId: input.resourceId || message.resourceId || thread.resourceId,
    }));
    await this.#store.batches.write([...this.#items(copies, () => thread.resourceId), this.#threadItem(thread, undefined)]);
    return { thread, messageIdMap: Object.fromEntries(ids) };
  }

  // Messages

  async listMessages(input: StorageListMessagesInput): Promise<StorageListMessagesOutput> {
    const ids = [input.threadId].flat();
    if (ids.length === 0 || ids.some((id) => !id.trim())) throw new Error("threadId must be a non-empty string or array of non-empty strings");
    const readers = new Map<string, Reader>();
    return this.#page(input, async (newest, range) => {
      const threads = (await this.#threads([...new Set(ids)])).filter((held) => held !== undefined);
      const found = threads.map(({ value }) => {
        const reader = this.#reader(readers, this.#messages.thread(value.resourceId, value.id));
        return newest === undefined ? reader.all(range) : reader.newest(newest, range, new Date(value.updatedAt));
      });
      return (await Promise.all(found)).flat();
    }, readers);
  }

  /** Lists the messages of all threads of a resource. */
  override async listMessagesByResourceId(input: StorageListMessagesByResourceIdInput): Promise<StorageListMessagesOutput> {
    const where = { namespace: { prefix: this.#messages.prefix(input.resourceId) } };
    return this.#page(input, () => all(this.#store.list({ where })), new Map());
  }

  async listMessagesById({ messageIds }: { messageIds: string[] }): Promise<{ messages: MastraDBMessage[] }> {
    const found = new Map((await this.#find(messageIds)).map((entry) => [entry.key, this.#messages.message(entry)]));
    return { messages: listed(messageIds.flatMap((id) => found.get(key(id)) ?? [])) };
  }

  /** Writes messages of threads that are there, each once: one with the id of another replaces it. */
  async saveMessages({ messages }: { messages: MastraDBMessage[] }): Promise<{ messages: MastraDBMessage[] }> {
    const last = [...new Map(messages.map((message) => [message.id, message])).values()];
    if (last.length === 0) return { messages };
    for (const message of last) {
      if (!message.resourceId) throw new Error("a message to be kept has no resourceId");
    }
    await this.#store.change(async () => {
      const threads = await this.#touched(last.map(threadOf));
      const owner = (id: string) => threads.get(id)!.value.resourceId;
      const items = this.#items(last, owner);
      const resources = [...new Set([...threads.values()].map((held) => held.value.resourceId))];
      const elsewhere = (await Promise.all(resources.map((resource) => this.#find(last.map(({ id }) => id), resource))))
        .flat()
        .filter((entry) => !items.some((item) => item.namespace === entry.namespace && item.key === entry.key));
      return { items: [...elsewhere.map(gone), ...items, ...this.#touches(threads)], result: undefined };
    });
    return { messages: listed(messages) };
  }

  /** Changes messages, those that are there. Content is merged, and so is its metadata. */
  async updateMessages({ messages }: { messages: Update[] }): Promise<MastraDBMessage[]> {
    const updates = new Map(messages.map((update) => [key(update.id), update]));
    if (updates.size === 0) return [];
    return this.#store.change(async () => {
      const places = await this.#find(messages.map(({ id }) => id));
      const entries = (await this.#store.batches.read(places)).flatMap((outcome) => (outcome?.entry ? [{ entry: outcome.entry, etag: outcome.etag ?? "" }] : []));
      const changed = entries.map(({ entry, etag }) => ({ entry, etag, message: merged(this.#messages.message(entry), updates.get(entry.key)!) }));
      const threads = await this.#touched(changed.flatMap(({ entry, message }) => [this.#messages.owner(entry.namespace).thread, threadOf(message)]));
      const items = changed.flatMap(({ entry, etag, message }): Item[] => {
        const item = this.#messages.item(message, threads.get(threadOf(message))!.value.resourceId);
        const kept = { ...item, occurred_at: entry.occurred_at ?? item.occurred_at! };
        return kept.namespace === entry.namespace ? [{ ...kept, if_match: etag }] : [kept, { ...gone(entry), if_match: etag }];
      });
      return { items: [...items, ...this.#touches(threads)], result: changed.map(({ message }) => message) };
    });
  }

  override async deleteMessages(messageIds: string[]): Promise<void> {
    const found = await this.#find(messageIds);
    if (found.length === 0) return;
    await this.#store.batches.delete(found);
    await this.#store.change(async () => {
      const ids = new Set(found.map(({ namespace }) => this.#messages.owner(namespace).thread));
      const held = (await this.#threads([...ids])).filter((thread) => thread !== undefined);
      return { items: this.#touches(new Map(held.map((thread) => [thread.value.id, thread]))), result: undefined };
    });
  }

  // Resources

  override async getResourceById({ resourceId }: { resourceId: string }): Promise<StorageResourceType | null> {
    const [held] = await this.#resource(resourceId);
    return held ? resourceOfKept(held.value) : null;
  }

  override async saveResource({ resource }: { resource: StorageResourceType }): Promise<StorageResourceType> {
    await this.#store.change(async () => ({ items: [over(this.#resourcesIn, key(resource.id), resource, (await this.#resource(resource.id))[0])], result: undefined }));
    return resource;
  }

  override async updateResource(update: { resourceId: string; workingMemory?: string; metadata?: Record<string, unknown> }): Promise<StorageResourceType> {
    return this.#store.change(async () => {
      const [held] = await this.#resource(update.resourceId);
      const now = new Date();
      const old: StorageResourceType = held ? resourceOfKept(held.value) : { id: update.resourceId, metadata: {}, createdAt: now, updatedAt: now };
      const resource: StorageResourceType = {
        ...old,
        ...(update.workingMemory === undefined ? {} : { workingMemory: update.workingMemory }),
        metadata: { ...old.metadata, ...update.metadata },
        updatedAt: now,
      };
      return { items: [over(this.#resourcesIn, key(resource.id), resource, held)], result: resource };
    });
  }

  /** Deletes all threads, messages and resources of the store. */
  async dangerouslyClearAll(): Promise<void> {
    const where = { or: [{ namespace: { in: [this.#threadsIn, this.#resourcesIn] } }, { namespace: { prefix: this.#messages.prefix() } }] };
    await this.#store.batches.delete(await all(this.#store.list({ where })));
  }

  // Parts

  get #threadsIn(): string {
    return `${this.#namespace}.threads`;
  }

  get #resourcesIn(): string {
    return `${this.#namespace}.resources`;
  }

  #threads(ids: string[]): Promise<(Held<Kept<StorageThreadType>> | undefined)[]> {
    return this.#store.read(this.#threadsIn, ids.map(key));
  }

  async #thread(id: string, what = "Thread"): Promise<Held<Kept<StorageThreadType>>> {
    const [held] = await this.#threads([id]);
    if (!held) throw new Error(`${what} with id ${id} not found`);
    return held;
  }

  #resource(id: string): Promise<(Held<Kept<StorageResourceType>> | undefined)[]> {
    return this.#store.read(this.#resourcesIn, [key(id)]);
  }

  #threadItem(thread: StorageThreadType, held: Held<unknown> | undefined): Item {
    return over(this.#threadsIn, key(thread.id), thread, held);
  }

  /** Returns threads that are about to be written to, or throws that one of them is not there. */
  async #touched(ids: string[]): Promise<Map<string, Held<Kept<StorageThreadType>>>> {
    const distinct = [...new Set(ids)];
    const held = await this.#threads(distinct);
    return new Map(distinct.map((id, i) => {
      const thread = held[i];
      if (!thread) throw new Error(`Thread with id ${id} not found`);
      return [id, thread];
    }));
  }

  /** Returns the writes of the times of threads. */
  #touches(threads: Map<string, Held<Kept<StorageThreadType>>>): Item[] {
    return [...threads.values()].map((held) => {
      const thread = threadOfKept(held.value);
      return this.#threadItem({ ...thread, updatedAt: after(thread.updatedAt) }, held);
    });
  }

  /** Returns the writes of messages, which keep their order within a millisecond. */
  #items(messages: MastraDBMessage[], owner: (thread: string) => string): Item[] {
    const seen = new Map<string, number>();
    return messages.map((message) => {
      const at = `${threadOf(message)} ${new Date(message.createdAt).getTime()}`;
      const before = seen.get(at) ?? 0;
      seen.set(at, before + 1);
      return this.#messages.item(message, owner(threadOf(message)), before);
    });
  }

  /** Returns the writes that move a thread's messages to the namespace of another resource. */
  async #moves(thread: string, from: string, to: string): Promise<Item[]> {
    const entries = await all(this.#store.list({ namespace: this.#messages.thread(from, thread) }));
    return entries.flatMap((entry): Item[] => {
      const { occurred_at: at, ...item } = this.#messages.item({ ...this.#messages.message(entry), resourceId: to }, to);
      return [{ ...item, occurred_at: entry.occurred_at ?? at! }, gone(entry)];
    });
  }

  /** Returns the messages of a thread that a copy of it gets. */
  async #copied({ sourceThreadId, options }: StorageCloneThreadInput, resource: string): Promise<MastraDBMessage[]> {
    const { startDate, endDate, messageIds } = options?.messageFilter ?? {};
    const ids = messageIds?.length ? new Set(messageIds) : undefined;
    const entries = await new Reader(this.#store, this.#messages.thread(resource, sourceThreadId)).all({ from: startDate, to: endDate });
    const messages = entries.map((entry) => this.#messages.message(entry)).filter((message) => !ids || ids.has(message.id));
    return options?.messageLimit && options.messageLimit > 0 ? messages.slice(-options.messageLimit) : messages;
  }

  /** Returns the entries of messages by their ids, of all threads or those of a resource. */
  async #find(ids: string[], resource?: string): Promise<Entry[]> {
    const found: Entry[] = [];
    for (let i = 0; i < ids.length; i += maxIDs) {
      const where = { namespace: { prefix: this.#messages.prefix(resource) }, key: { in: ids.slice(i, i + maxIDs).map(key) } };
      found.push(...(await all(this.#store.list({ where }))));
    }
    return found;
  }

  #reader(readers: Map<string, Reader>, namespace: string): Reader {
    const reader = readers.get(namespace) ?? new Reader(this.#store, namespace);
    readers.set(namespace, reader);
    return reader;
  }

  /**
   * Returns a page of messages, and those to be included. read returns the messages of a range:
   * with newest at least so many of the newest, if there are as many.
   */
  async #page(
    input: StorageListMessagesInput | StorageListMessagesByResourceIdInput,
    read: (newest: number | undefined, range: { from?: Date | undefined; to?: Date | undefined }) => Promise<Entry[]>,
    readers: Map<string, Reader>,
  ): Promise<StorageListMessagesOutput> {
    const { include, filter, page = 0, perPage: wanted } = input;
    const metadata = validateStorageMetadataFilter(filter?.metadata);
    const { direction } = this.parseOrderBy(input.orderBy, "ASC");
    const size = normalizePerPage(wanted, 40);
    if (page < 0 || page * size > Number.MAX_SAFE_INTEGER / 2) throw new Error(page < 0 ? "page must be >= 0" : "page value too large");
    const { offset, perPage } = calculatePagination(page, wanted, size);
    const range = { from: filter?.dateRange?.start && new Date(filter.dateRange.start), to: filter?.dateRange?.end && new Date(filter.dateRange.end) };
    const newest = input.includeTotal === false && direction === "DESC" && !metadata && Number.isSafeInteger(offset + size + 1) ? offset + size + 1 : undefined;
    const entries = size === 0 ? [] : (await read(newest, range)).sort(byTime);
    const dated = filterByDateRange(entries, (entry) => this.#messages.message(entry).createdAt, filter?.dateRange);
    const fitting = inOrder(dated.filter((entry) => this.#fits(entry, input.resourceId, metadata)), direction);
    const shown = fitting.slice(offset, offset + size);
    const ids = new Set(shown.map(({ id }) => id));
    const included = (await this.#included(include ?? [], input.resourceId, readers)).filter(({ id }) => !ids.has(id));
    const all = included.length > 0 ? inOrder([...shown, ...included].sort(byTime), direction) : shown;
    return {
      messages: all.map((entry) => this.#messages.message(entry)),
      total: fitting.length,
      page,
      perPage,
      hasMore: size > 0 && offset + size < fitting.length,
    };
  }

  #fits(entry: Entry, resource: string | undefined, metadata: ReturnType<typeof validateStorageMetadataFilter>): boolean {
    const message = this.#messages.message(entry);
    return (!resource || message.resourceId === resource) && storageMessageMatchesMetadataFilter(message.content, metadata);
  }

  /** Returns messages with those around them, each once: of all threads, or those of a resource. */
  async #included(include: Include, resource: string | undefined, readers: Map<string, Reader>): Promise<Entry[]> {
    const places = new Map((await this.#find([...new Set(include.map(({ id }) => id))], resource)).map((entry) => [entry.key, entry]));
    const found = new Map<string, Entry>();
    for (const { id, withPreviousMessages = 0, withNextMessages = 0 } of include) {
      const place = places.get(key(id));
      if (!place) continue;
      const entries = await this.#reader(readers, place.namespace).around(id, withPreviousMessages, withNextMessages);
      for (const entry of entries) if (this.#fits(entry, resource, undefined)) found.set(entry.id, entry);
    }
    return [...found.values()];
  }
}

function threadOfKept({ createdAt, updatedAt, ...thread }: Kept<StorageThreadType>): StorageThreadType {
  return { ...thread, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

function resourceOfKept({ createdAt, updatedAt, ...resource }: Kept<StorageResourceType>): StorageResourceType {
  return { ...resource, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

/** Returns a message with what an update changes. */
function merged(message: MastraDBMessage, { content, ...update }: Update): MastraDBMessage {
  const given = Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined));
  const metadata = { ...message.content.metadata, ...content?.metadata };
  return {
    ...message,
    ...given,
    content: { ...message.content, ...content, ...(Object.keys(metadata).length > 0 ? { metadata } : {}) },
  } as MastraDBMessage;
}

function gone({ namespace, key }: Entry): Item {
  return { op: "delete", namespace, key };
}

/** Returns now, or what is right after an instant that is later. */
function after(instant: Date): Date {
  return new Date(Math.max(Date.now(), instant.getTime() + 1));
}

/** Returns messages as Mastra's own storages return them. */
function listed(messages: MastraDBMessage[]): MastraDBMessage[] {
  return new MessageList().add(messages, "memory").get.all.db();
}

/** Returns entries, which are in the order of their times, in this direction. */
function inOrder(entries: Entry[], direction: Direction): Entry[] {
  return direction === "ASC" ? entries : entries.toReversed();
}

function signed(direction: Direction): 1 | -1 {
  return direction === "ASC" ? 1 : -1;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
