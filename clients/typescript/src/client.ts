import createClient from "openapi-fetch";
import type { Client } from "openapi-fetch";

import { checkedURL, type Fetch, lineOf, lines, pause, send } from "./call.js";
import { TransportFailed, UnreadableAnswer } from "./error.js";
import { stringifyJSON } from "./json.js";
import type { CallOptions, Connection, Filters, KeyOptions, ListOptions, PutOptions, Read, SalesOptions, StoreOptions } from "./options.js";
import { filters, given, name, ofEntry, once, pages, pageSize } from "./request.js";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

/**
 * Calls one server. url is its address, and token identifies the caller.
 *
 * A call is retried if the server was overloaded (429), and, if it is idempotent, also when
 * the server was unavailable (503) or the connection failed. Calls throw
 * MnemeError, or one of its subclasses by status, TransportFailed if the server cannot be
 * reached, and UnreadableAnswer. Their messages never contain request data.
 *
 * Integers beyond Number.MAX_SAFE_INTEGER are BigInt in answers, and may be BigInt in
 * requests; stringifyJSON encodes them, which JSON.stringify refuses.
 */
export class Mneme {
  readonly #api: Client<paths>;
  readonly #host: string;
  readonly #connection: Connection;

  constructor(url: string, token: string, connection: Connection = {}) {
    const address = checkedURL(url);
    this.#host = address.host;
    this.#connection = connection;
    this.#api = createClient<paths>({ baseUrl: address.href.replace(/\/+$/, ""), headers: { Authorization: `Bearer ${token}` }, bodySerializer: stringifyJSON });
  }

  // Entries

  /** Writes an entry; ttl is in seconds. */
  put(key: string, value: unknown, options: PutOptions = {}): Promise<Schemas["Written"]> {
    const { store, namespace, signal, wait, similar, ifMatch, ifNoneMatch, ...entry } = options;
    return this.#json(this.#api.PUT("/v1/stores/{store}/memories/{key}", {
      ...this.#call(signal, { safe: false }),
      params: {
        ...ofEntry(store, key, given({ namespace, wait: wait ? ("indexed" as const) : undefined, similar })),
        header: given({ "If-Match": ifMatch, "If-None-Match": ifNoneMatch }),
      },
      body: { ...entry, value: value as Schemas["Value"] },
    }));
  }

  /** Reads an entry and its ETag. */
  async get(key: string, options: KeyOptions = {}): Promise<Read> {
    const { store, namespace, signal } = options;
    return this.#read(await this.#answer(this.#api.GET("/v1/stores/{store}/memories/{key}", {
      ...this.#call(signal), params: { ...ofEntry(store, key, given({ namespace })) },
    })));
  }

  /** Reads an entry, or returns undefined if it still has this ETag. */
  async changed(key: string, etag: string, options: KeyOptions = {}): Promise<Read | undefined> {
    const { store, namespace, signal } = options;
    const answer = await this.#answer(this.#api.GET("/v1/stores/{store}/memories/{key}", {
      ...this.#call(signal),
      params: { ...ofEntry(store, key, given({ namespace })), header: { "If-None-Match": etag } },
    }));
    return answer.response.status === 304 ? undefined : this.#read(answer);
  }

  /** Moves an entry to the trash. */
  async delete(key: string, options: KeyOptions & { ifMatch?: string } = {}): Promise<void> {
    const { store, namespace, signal, ifMatch } = options;
    await this.#answer(this.#api.DELETE("/v1/stores/{store}/memories/{key}", {
      ...this.#call(signal, { safe: false }),
      params: { ...ofEntry(store, key, given({ namespace })), header: given({ "If-Match": ifMatch }) },
    }));
  }

  /** Restores a version, or without one the most recently deleted entry. */
  restore(key: string, options: KeyOptions & { version?: number } = {}): Promise<Schemas["Entry"]> {
    const { store, namespace, signal, version } = options;
    return this.#json(this.#api.POST("/v1/stores/{store}/memories/{key}/restore", {
      ...this.#call(signal),
      params: { ...ofEntry(store, key, given({ namespace })), header: once() },
      body: given({ version }),
    }));
  }

  /** Moves an entry to another key, optionally in another namespace or store. */
  rename(key: string, to: string, options: KeyOptions & { toNamespace?: string; toStore?: string } = {}): Promise<Schemas["Entry"]> {
    const { store, namespace, signal, toNamespace, toStore } = options;
    return this.#json(this.#api.POST("/v1/stores/{store}/memories/{key}/rename", {
      ...this.#call(signal),
      params: { ...ofEntry(store, key, given({ namespace })), header: once() },
      body: { to, ...given({ to_namespace: toNamespace, to_store: toStore }) },
    }));
  }

  /**
   * Performs up to 1,000 puts, gets and deletes, in order; with atomic, all or none. Repeating it
   * with the same idempotencyKey has no further effect; without one, each call has its own.
   */
  batch(items: Schemas["BatchItem"][], options: StoreOptions & { atomic?: boolean; idempotencyKey?: string } = {}): Promise<Schemas["BatchResult"]> {
    const { store, signal, atomic, idempotencyKey } = options;
    return this.#json(this.#api.POST("/v1/stores/{store}/memories:batch", {
      ...this.#call(signal), params: { path: { store: name(store) }, header: once(idempotencyKey) }, body: { items, atomic: atomic ?? false },
    }));
  }

  // Lists

  /** Yields a store's entries, by namespace and key, page after page. */
  list(options: ListOptions = {}): AsyncGenerator<Schemas["Entry"]> {
    const { store, signal, where, match, ...plain } = options;
    const query = { ...given(plain), ...given(filters(where, match)), limit: pageSize };
    return pages((cursor) => this.#json(this.#api.GET("/v1/stores/{store}/memories", {
      ...this.#call(signal), params: { path: { store: name(store) }, query: { ...query, ...given({ cursor }) } },
    })), (page) => page.items);
  }

  /** Yields an entry's versions, newest first. */
  versions(key: string, options: KeyOptions = {}): AsyncGenerator<Schemas["Entry"]> {
    const { store, namespace, signal } = options;
    return pages((cursor) => this.#json(this.#api.GET("/v1/stores/{store}/memories/{key}/versions", {
      ...this.#call(signal), params: { ...ofEntry(store, key, { ...given({ namespace, cursor }), limit: pageSize }) },
    })), (page) => page.items);
  }

  /** Yields the deleted entries, latest deletion first. */
  trash(options: StoreOptions = {}): AsyncGenerator<Schemas["Trashed"]> {
    const { store, signal } = options;
    return pages((cursor) => this.#json(this.#api.GET("/v1/stores/{store}/trash", {
      ...this.#call(signal), params: { path: { store: name(store) }, query: { ...given({ cursor }), limit: pageSize } },
    })), (page) => page.items);
  }

  /**
   * Reads the changes since a cursor, and the next cursor. Without since: no changes, and the
   * current cursor. It waits up to wait seconds, at most 30, for a change.
   */
  changes(options: StoreOptions & { since?: string; wait?: number } = {}): Promise<Schemas["ChangePage"]> {
    const { store, signal, since, wait } = options;
    return this.#json(this.#api.GET("/v1/stores/{store}/changes", {
      ...this.#call(signal), params: { path: { store: name(store) }, query: given({ since, wait }) },
    }));
  }

  /**
   * Yields changes as they happen, each with the cursor to continue from. It throws Gone if
   * a cursor is too old: read the store again.
   */
  async *follow(options: StoreOptions & { since?: string } = {}): AsyncGenerator<{ change: Schemas["Change"]; cursor: string }> {
    let since = options.since ?? (await this.changes(options)).next_cursor;
    for (;;) {
      const page = await this.changes({ ...options, since, wait: 25 });
      for (const [i, change] of page.changes.entries()) yield { change, cursor: i === page.changes.length - 1 ? page.next_cursor : since };
      since = page.next_cursor;
    }
  }

  /**
   * Yields all entries that the caller can list, or those that match, in the format of
   * importEntries. It throws TransportFailed if the export is incomplete.
   */
  async *export(options: Filters = {}): AsyncGenerator<Schemas["ImportLine"]> {
    const { store, signal, where, match, ...plain } = options;
    const query = { ...given(plain), ...given(filters(where, match)) };
    const { response } = await this.#answer(this.#api.GET("/v1/stores/{store}/export", {
      ...this.#call(signal, { stream: true }), params: { path: { store: name(store) }, query }, parseAs: "stream",
    }));
    if (!response.body) throw new UnreadableAnswer(this.#host);
    try {
      for await (const line of lines(response.body)) yield line as Schemas["ImportLine"];
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof TypeError ? new TransportFailed(this.#host) : this.#failure(error);
    }
  }

  /**
   * Writes many entries, each like a put, and returns the outcomes. The result lists refused
   * lines; the others are written. It can be repeated. Unchanged lines of an export preserve
   * all digits of their numbers.
   */
  importEntries(entries: Iterable<Schemas["ImportLine"]>, options: StoreOptions = {}): Promise<Schemas["ImportResult"]> {
    const { store, signal } = options;
    let body = "";
    for (const entry of entries) body += `${lineOf(entry)}\n`;
    return this.#json(this.#api.POST("/v1/stores/{store}/import", {
      ...this.#call(signal), params: { path: { store: name(store) }, header: once() },
      // The schema has one line of the body.
      body: {} as Schemas["ImportLine"], bodySerializer: () => body, headers: { "Content-Type": "application/x-ndjson" },
    }));
  }

  /** Reads MEMORY.md: the index of a store, one line per entry. */
  async index(options: StoreOptions = {}): Promise<string> {
    const { store, signal } = options;
    const { data } = await this.#answer(this.#api.GET("/v1/stores/{store}/MEMORY.md", {
      ...this.#call(signal), params: { path: { store: name(store) } }, parseAs: "text",
    }));
    return data ?? ""; // of an empty store
  }

  // Search

  /**
   * Asks a question; an object accepts every option of the service, or several `queries`. With
   * max_charge, in micros, searches of named stores may be charged: a repetition with the
   * same idempotencyKey is not charged again.
   */
  search(question: string | Schemas["Question"], options: CallOptions & { idempotencyKey?: string } = {}): Promise<Schemas["Answer"]> {
    const body: Schemas["Question"] = typeof question === "string" ? { query: question } : question;
    const paid = body.max_charge !== undefined || options.idempotencyKey !== undefined;
    return this.#json(this.#api.POST("/v1/search", {
      ...this.#call(options.signal), params: { header: paid ? once(options.idempotencyKey) : {} }, body,
    }));
  }

  /** Buys a search of an offer: from the account, or by payingFetch if there is one. */
  searchOffer(offer: string, question: string | Schemas["OfferQuestion"], options: CallOptions & { idempotencyKey?: string } = {}): Promise<Schemas["Answer"]> {
    return this.#json(this.#api.POST("/v1/offers/{offer}/search", {
      ...this.#call(options.signal, given({ by: this.#connection.payingFetch })),
      params: { path: { offer: name(offer) }, header: once(options.idempotencyKey) },
      body: typeof question === "string" ? { query: question } : question,
    }));
  }

  // Sharing and selling

  /** Lists the stores that the caller can access, with its level on each. */
  async stores(options: CallOptions = {}): Promise<Schemas["StoreInfo"][]> {
    return (await this.#json(this.#api.GET("/v1/stores", this.#call(options.signal)))).stores;
  }

  /** Chooses the models that read a store. */
  setLanguage(language: Schemas["Language"], options: StoreOptions = {}): Promise<Schemas["StoreLanguage"]> {
    const { store, signal } = options;
    return this.#json(this.#api.PUT("/v1/stores/{store}/language", {
      ...this.#call(signal, { safe: false }), params: { path: { store: name(store) } }, body: { language },
    }));
  }

  /** Lists the grants of a store. */
  async grants(options: StoreOptions = {}): Promise<Schemas["Grant"][]> {
    const { store, signal } = options;
    return (await this.#json(this.#api.GET("/v1/stores/{store}/grants", { ...this.#call(signal), params: { path: { store: name(store) } } }))).grants;
  }

  /** Shares a store with an agent. */
  async share(agent: string, level: Schemas["Level"], options: StoreOptions & Omit<Schemas["Share"], "level"> = {}): Promise<void> {
    const { store, signal, ...rest } = options;
    await this.#answer(this.#api.PUT("/v1/stores/{store}/grants/{agent}", {
      ...this.#call(signal, { safe: false }), params: { path: { store: name(store), agent: name(agent) } }, body: { ...rest, level },
    }));
  }

  /**
   * Revokes the grant of a store to an agent. If agent is the caller, it ends or refuses the grant. With cascade the
   * dependent grants end too.
   */
  async unshare(agent: string, options: StoreOptions & { cascade?: boolean } = {}): Promise<void> {
    const { store, signal, cascade } = options;
    await this.#answer(this.#api.DELETE("/v1/stores/{store}/grants/{agent}", {
      ...this.#call(signal, { safe: false }), params: { path: { store: name(store), agent: name(agent) }, query: given({ cascade }) },
    }));
  }

  /** Accepts a store that was shared with the caller: searches without named stores include it. */
  async acceptGrant(store: string, options: CallOptions = {}): Promise<void> {
    await this.#answer(this.#api.POST("/v1/stores/{store}/accept", {
      ...this.#call(options.signal), params: { path: { store: name(store) } },
    }));
  }

  /** Offers searches of the caller's own store; prices in terms are in micros. */
  createOffer(offer: Schemas["OfferRequest"], options: CallOptions & { idempotencyKey?: string } = {}): Promise<Schemas["Offer"]> {
    return this.#json(this.#api.POST("/v1/stores/{store}/offers", {
      ...this.#call(options.signal), params: { path: { store: "self" }, header: once(options.idempotencyKey) }, body: offer,
    }));
  }

  /** Yields the offers of searches that the caller may accept. */
  offers(options: CallOptions = {}): AsyncGenerator<Schemas["Offer"]> {
    return pages((cursor) => this.#json(this.#api.GET("/v1/offers", {
      ...this.#call(options.signal), params: { query: { ...given({ cursor }), limit: pageSize } },
    })), (page) => page.offers);
  }

  /** Lists the offers of the caller's own store, including withdrawn ones. */
  async storeOffers(options: CallOptions = {}): Promise<Schemas["Offer"][]> {
    return (await this.#json(this.#api.GET("/v1/stores/{store}/offers", { ...this.#call(options.signal), params: { path: { store: "self" } } }))).offers;
  }

  /** Reads an offer and its ETag. */
  async offer(offer: string, options: CallOptions = {}): Promise<{ offer: Schemas["Offer"]; etag: string }> {
    const { data, response } = await this.#answer(this.#api.GET("/v1/offers/{offer}", {
      ...this.#call(options.signal), params: { path: { offer: name(offer) } },
    }));
    if (!data) throw new UnreadableAnswer(this.#host);
    return { offer: data, etag: response.headers.get("etag") ?? "" };
  }

  /** Changes the given fields of an offer and its terms; caps are replaced as a whole. */
  changeOffer(offer: string, change: Schemas["OfferChange"], options: CallOptions & { ifMatch?: string } = {}): Promise<Schemas["Offer"]> {
    return this.#json(this.#api.PUT("/v1/offers/{offer}", {
      ...this.#call(options.signal, { safe: false }),
      params: { path: { offer: name(offer) }, header: given({ "If-Match": options.ifMatch }) },
      body: change,
    }));
  }

  /** Withdraws an offer. Grants that were made under it continue. */
  async withdrawOffer(offer: string, options: CallOptions & { ifMatch?: string } = {}): Promise<void> {
    await this.#answer(this.#api.DELETE("/v1/offers/{offer}", {
      ...this.#call(options.signal, { safe: false }), params: { path: { offer: name(offer) }, header: given({ "If-Match": options.ifMatch }) },
    }));
  }

  /** Sums the sales of the caller's own store between two dates or times, by day, buyer or offer. */
  async sales(options: SalesOptions = {}): Promise<Schemas["SalesRow"][]> {
    const { signal, ...query } = options;
    const sales = await this.#json(this.#api.GET("/v1/stores/{store}/sales", { ...this.#call(signal), params: { path: { store: "self" }, query } }));
    return (sales as Schemas["Sales"]).items; // CSV only if a header requests it
  }

  /**
   * Accepts an offer, whose searches are then paid from the account. ifMatch is the accepted
   * version of the offer.
   */
  accept(offer: string, options: CallOptions & { ifMatch?: string } = {}): Promise<Schemas["Grant"]> {
    return this.#json(this.#api.POST("/v1/offers/{offer}/accept", {
      ...this.#call(options.signal), params: { path: { offer: name(offer) }, header: { ...once(), ...given({ "If-Match": options.ifMatch }) } },
    }));
  }

  /** Reads the caller's account; balance is in micros. */
  account(options: CallOptions = {}): Promise<Schemas["Account"]> {
    return this.#json(this.#api.GET("/v1/account", this.#call(options.signal)));
  }

  /** Yields the caller's charges, newest first. */
  usage(options: CallOptions = {}): AsyncGenerator<Schemas["UsedCharge"]> {
    return pages((cursor) => this.#json(this.#api.GET("/v1/usage", {
      ...this.#call(options.signal), params: { query: { ...given({ cursor }), limit: pageSize } },
    })), (page) => page.items);
  }

  /** Refunds a charge to a buyer of the caller's. */
  refund(charge: string, options: CallOptions = {}): Promise<Schemas["RefundedCharge"]> {
    return this.#json(this.#api.POST("/v1/charges/{charge}/refund", {
      ...this.#call(options.signal), params: { path: { charge: name(charge) }, header: once() },
    }));
  }

  // Calls

  /** Returns the sending options of a call. safe means that it is idempotent. */
  #call(signal: AbortSignal | undefined, { safe = true, stream = false, by = this.#connection.fetch } = {}) {
    const { timeout = 60_000, retries = 3 } = this.#connection;
    const fetch: Fetch = (request) => (by ?? globalThis.fetch)(request);
    return {
      ...given({ signal }),
      fetch: (request: Request) => send(request, { host: this.#host, fetch, signal, timeout, retries, pause: this.#connection.pause ?? pause, safe, stream }),
    };
  }

  async #json<T>(call: Promise<{ data?: T; response: Response }>): Promise<NonNullable<T>> {
    const { data } = await this.#answer(call);
    if (data === undefined || data === null) throw new UnreadableAnswer(this.#host);
    return data;
  }

  async #answer<T>(call: Promise<{ data?: T; response: Response }>): Promise<{ data?: T; response: Response }> {
    try {
      return await call;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #read({ data, response }: { data?: Schemas["Entry"]; response: Response }): Read {
    if (!data) throw new UnreadableAnswer(this.#host);
    return { entry: data, etag: response.headers.get("etag") ?? "" };
  }

  /** Returns the error that a call throws in place of one that may quote the request. */
  #failure(error: unknown): unknown {
    return error instanceof SyntaxError ? new UnreadableAnswer(this.#host) : error;
  }
}
