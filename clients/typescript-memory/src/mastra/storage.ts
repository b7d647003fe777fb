/** Mastra's storage of threads, messages and working memory: its domain "memory". */

import { MessageList } from "@mastra/core/agent";
import type { MastraDBMessage, StorageThreadType } from "@mastra/core/memory";
import {
  calculatePagination, jsonValueEquals, MastraCompositeStore, MemoryStorage, normalizePerPage, type StorageCloneThreadInput, type StorageCopyThreadOutput,
  type StorageListMessagesByResourceIdInput, type StorageListMessagesInput, type StorageListMessagesOutput, type StorageListThreadsInput,
  type StorageListThreadsOutput, type StorageResourceType,
} from "@mastra/core/storage";

import type { Item } from "../connection.js";
import { key } from "../name.js";
import { after, type Held, Objects } from "./dated.js";
import { Messages, threadOf } from "./message.js";
import { Pages } from "./page.js";
import { Reader } from "./reader.js";
import type { Entry, Store } from "./store.js";

type Update = Parameters<MemoryStorage["updateMessages"]>[0]["messages"][number];

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
  readonly #threads: Objects<StorageThreadType>;
  readonly #resources: Objects<StorageResourceType>;
  readonly #messages: Messages;

  constructor(store: Store, namespace: string) {
    super();
    this.#store = store;
    this.#threads = new Objects(store, `${namespace}.threads`);
    this.#resources = new Objects(store, `${namespace}.resources`);
    this.#messages = new Messages(namespace);
  }

  // Threads

  async getThreadById({ threadId, resourceId }: { threadId: string; resourceId?: string }): Promise<StorageThreadType | null> {
    const held = await this.#threads.get(threadId);
    return held && (resourceId === undefined || held.value.resourceId === resourceId) ? held.value : null;
  }

  /** Writes a thread. Its messages follow it to another resource. */
  async saveThread({ thread }: { thread: StorageThreadType }): Promise<StorageThreadType> {
    return this.#store.change(async () => {
      const held = await this.#threads.get(thread.id);
      const moved = held && held.value.resourceId !== thread.resourceId ? await this.#moves(held.value, thread.resourceId) : [];
      return { items: [...moved, this.#threads.put(thread, held)], result: thread };
    });
  }

  async updateThread({ id, title, metadata }: { id: string; title?: string; metadata?: Record<string, unknown> }): Promise<StorageThreadType> {
    return this.#store.change(async () => {
      const held = await this.#thread(id);
      const thread: StorageThreadType = {
        ...held.value,
        ...(title === undefined ? {} : { title }),
        ...(metadata === undefined ? {} : { metadata: { ...held.value.metadata, ...metadata } }),
        updatedAt: after(held.value.updatedAt),
      };
      return { items: [this.#threads.put(thread, held)], result: thread };
    });
  }

  /** Deletes a thread with its messages, those too that are written meanwhile. */
  async deleteThread({ threadId }: { threadId: string }): Promise<void> {
    await this.#store.change(async () => {
      const held = await this.#threads.get(threadId);
      if (!held) return { items: [], result: undefined };
      const namespace = this.#messages.thread(held.value.resourceId, threadId);
      await this.#store.batches.delete(await this.#store.list({ namespace }));
      return { items: [this.#threads.delete(held)], result: undefined };
    });
  }

  async listThreads({ page = 0, perPage: wanted, orderBy, filter }: StorageListThreadsInput): Promise<StorageListThreadsOutput> {
    const { field, direction } = this.parseOrderBy(orderBy);
    this.validatePaginationInput(page, wanted ?? 100);
    this.validateMetadataKeys(filter?.metadata);
    const size = normalizePerPage(wanted, 100);
    const { offset, perPage } = calculatePagination(page, wanted, size);
    const sign = direction === "ASC" ? 1 : -1;
    const threads = (await this.#threads.list(filter?.resourceId ? { "value.resourceId": { eq: filter.resourceId } } : undefined))
      .filter((thread) => Object.entries(filter?.metadata ?? {}).every(([name, value]) => jsonValueEquals(thread.metadata?.[name], value)))
      .sort((a, b) => sign * (a[field].getTime() - b[field].getTime()));
    return { threads: threads.slice(offset, offset + size), total: threads.length, page, perPage, hasMore: offset + size < threads.length };
  }

  /** Copies a thread and its messages, which get new ids. */
  override async copyThread(input: StorageCloneThreadInput): Promise<StorageCopyThreadOutput> {
    const { value: source } = await this.#thread(input.sourceThreadId, "Source thread");
    const messages = await this.#copied(input, source.resourceId);
    const thread = copyOf(source, input, messages.at(-1)?.id);
    if (await this.#threads.get(thread.id)) throw new Error(`Thread with id ${thread.id} already exists`);
    const ids = new Map(messages.map((message) => [message.id, crypto.randomUUID()]));
    const copies = messages.map((message) => ({
      ...message, id: ids.get(message.id)!, threadId: thread.id, resourceId: input.resourceId || message.resourceId || thread.resourceId,
    }));
    await this.#store.batches.write([...this.#items(copies, () => thread.resourceId), this.#threads.put(thread, undefined)]);
    return { thread, messageIdMap: Object.fromEntries(ids) };
  }

  // Messages

  async listMessages(input: StorageListMessagesInput): Promise<StorageListMessagesOutput> {
    const ids = [...new Set([input.threadId].flat())];
    if (ids.length === 0 || ids.some((id) => !id.trim())) throw new Error("threadId must be a non-empty string or array of non-empty strings");
    const pages = this.#pages();
    return pages.page(input, this.parseOrderBy(input.orderBy, "ASC").direction, async (range, newest) => {
      const threads = (await this.#threads.read(ids)).filter((held) => held !== undefined);
      const found = threads.map(({ value: { id, resourceId, updatedAt } }) => {
        const reader = pages.reader(this.#messages.thread(resourceId, id));
        return newest === undefined ? reader.all(range) : reader.newest(newest, range, updatedAt);
      });
      return (await Promise.all(found)).flat();
    });
  }

  /** Lists the messages of all threads of a resource. */
  override async listMessagesByResourceId(input: StorageListMessagesByResourceIdInput): Promise<StorageListMessagesOutput> {
    const where = { namespace: { prefix: this.#messages.prefix(input.resourceId) } };
    return this.#pages().page(input, this.parseOrderBy(input.orderBy, "ASC").direction, () => this.#store.list({ where }));
  }

  async listMessagesById({ messageIds }: { messageIds: string[] }): Promise<{ messages: MastraDBMessage[] }> {
    const found = new Map((await this.#pages().find(messageIds)).map((entry) => [entry.key, this.#messages.message(entry)]));
    return { messages: listed(messageIds.flatMap((id) => found.get(key(id)) ?? [])) };
  }

  /** Writes messages of threads that are there: one with the id of another of its resource replaces it. */
  async saveMessages({ messages }: { messages: MastraDBMessage[] }): Promise<{ messages: MastraDBMessage[] }> {
    const last = [...new Map(messages.map((message) => [message.id, message])).values()];
    if (last.length === 0) return { messages };
    if (last.some(({ resourceId }) => !resourceId)) throw new Error("a message to be kept has no resourceId");
    return this.#store.change(async () => {
      const threads = await this.#touched(last.map(threadOf));
      const items = this.#items(last, (id) => threads.get(id)!.value.resourceId);
      const elsewhere = await this.#elsewhere(items, last, [...threads.values()]);
      return { items: [...elsewhere.map(gone), ...items, ...this.#touches([...threads.values()])], result: { messages: listed(messages) } };
    });
  }

  /** Changes messages, those that are there. Content is merged, and so is its metadata. */
  async updateMessages({ messages }: { messages: Update[] }): Promise<MastraDBMessage[]> {
    const updates = new Map(messages.map((update) => [key(update.id), update]));
    return this.#store.change(async () => {
      const outcomes = await this.#store.batches.read(await this.#pages().find(messages.map(({ id }) => id)));
      const changed = outcomes.flatMap((outcome) => {
        if (!outcome?.entry) return [];
        const { entry, etag = "" } = outcome;
        return [{ entry, etag, message: merged(this.#messages.message(entry), updates.get(entry.key)!) }];
      });
      const threads = await this.#touched(changed.flatMap(({ entry, message }) => [this.#messages.owner(entry.namespace).thread, threadOf(message)]));
      const items = changed.flatMap(({ entry, etag, message }) => this.#rewritten(entry, etag, message, threads.get(threadOf(message))!.value.resourceId));
      return { items: [...items, ...this.#touches([...threads.values()])], result: changed.map(({ message }) => message) };
    });
  }

  override async deleteMessages(messageIds: string[]): Promise<void> {
    const found = await this.#pages().find(messageIds);
    await this.#store.batches.delete(found);
    const ids = [...new Set(found.map(({ namespace }) => this.#messages.owner(namespace).thread))];
    await this.#store.change(async () => {
      const threads = (await this.#threads.read(ids)).filter((held) => held !== undefined);
      return { items: this.#touches(threads), result: undefined };
    });
  }

  // Resources

  override async getResourceById({ resourceId }: { resourceId: string }): Promise<StorageResourceType | null> {
    return (await this.#resources.get(resourceId))?.value ?? null;
  }

  override async saveResource({ resource }: { resource: StorageResourceType }): Promise<StorageResourceType> {
    return this.#store.change(async () => ({ items: [this.#resources.put(resource, await this.#resources.get(resource.id))], result: resource }));
  }

  override async updateResource(update: { resourceId: string; workingMemory?: string; metadata?: Record<string, unknown> }): Promise<StorageResourceType> {
    return this.#store.change(async () => {
      const held = await this.#resources.get(update.resourceId);
      const now = new Date();
      const old = held?.value ?? { id: update.resourceId, metadata: {}, createdAt: now };
      const resource: StorageResourceType = {
        ...old,
        ...(update.workingMemory === undefined ? {} : { workingMemory: update.workingMemory }),
        metadata: { ...old.metadata, ...update.metadata },
        updatedAt: now,
      };
      return { items: [this.#resources.put(resource, held)], result: resource };
    });
  }

  /** Deletes all threads, messages and resources of the store. */
  async dangerouslyClearAll(): Promise<void> {
    const where = { or: [{ namespace: { in: [this.#threads.namespace, this.#resources.namespace] } }, { namespace: { prefix: this.#messages.prefix() } }] };
    await this.#store.batches.delete(await this.#store.list({ where }));
  }

  // Parts

  #pages(): Pages {
    return new Pages(this.#store, this.#messages);
  }

  /** Returns a thread that is to be changed, or throws that it is not there. */
  async #thread(id: string, what = "Thread"): Promise<Held<StorageThreadType>> {
    const held = await this.#threads.get(id);
    if (!held) throw new Error(`${what} with id ${id} not found`);
    return held;
  }

  /** Returns threads that are about to be written to, or throws that one of them is not there. */
  async #touched(ids: string[]): Promise<Map<string, Held<StorageThreadType>>> {
    const distinct = [...new Set(ids)];
    const threads = await this.#threads.read(distinct);
    const missing = distinct.find((_, i) => !threads[i]);
    if (missing !== undefined) throw new Error(`Thread with id ${missing} not found`);
    return new Map(distinct.map((id, i) => [id, threads[i]!]));
  }

  /** Returns the writes of the times of threads. */
  #touches(threads: Held<StorageThreadType>[]): Item[] {
    return threads.map((held) => this.#threads.put({ ...held.value, updatedAt: after(held.value.updatedAt) }, held));
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

  /** Returns the entries of messages in other threads of their resources than those to which they are written. */
  async #elsewhere(items: Item[], messages: MastraDBMessage[], threads: Held<StorageThreadType>[]): Promise<Entry[]> {
    const written = new Set(items.map(({ namespace, key }) => `${namespace} ${key}`));
    const resources = [...new Set(threads.map(({ value }) => value.resourceId))];
    const found = await Promise.all(resources.map((resource) => this.#pages().find(messages.map(({ id }) => id), resource)));
    return found.flat().filter(({ namespace, key }) => !written.has(`${namespace} ${key}`));
  }

  /** Returns the writes of a message in place of its entry, which may be in another thread. */
  #rewritten(entry: Entry, etag: string, message: MastraDBMessage, resource: string): Item[] {
    const item = this.#messages.item(message, resource);
    if (entry.occurred_at) item.occurred_at = entry.occurred_at;
    return item.namespace === entry.namespace ? [{ ...item, if_match: etag }] : [item, { ...gone(entry), if_match: etag }];
  }

  /** Returns the writes that move a thread's messages to the namespace of another resource. */
  async #moves({ id, resourceId }: StorageThreadType, to: string): Promise<Item[]> {
    const entries = await this.#store.list({ namespace: this.#messages.thread(resourceId, id) });
    return entries.flatMap((entry): Item[] => {
      const item = this.#messages.item({ ...this.#messages.message(entry), resourceId: to }, to);
      if (entry.occurred_at) item.occurred_at = entry.occurred_at;
      return [item, gone(entry)];
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
}

/** Returns the thread that is a copy of another; last is the id of the last message that is copied. */
function copyOf(source: StorageThreadType, { newThreadId, resourceId, title, metadata }: StorageCloneThreadInput, last: string | undefined): StorageThreadType {
  const now = new Date();
  const named = title || (source.title && `Clone of ${source.title}`);
  return {
    id: newThreadId || crypto.randomUUID(),
    resourceId: resourceId || source.resourceId,
    ...(named && { title: named }),
    metadata: { ...metadata, clone: { sourceThreadId: source.id, clonedAt: now, ...(last === undefined ? {} : { lastMessageId: last }) } },
    createdAt: now,
    updatedAt: now,
  };
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

/** Returns messages as Mastra's own storages return them. */
function listed(messages: MastraDBMessage[]): MastraDBMessage[] {
  return new MessageList().add(messages, "memory").get.all.db();
}
