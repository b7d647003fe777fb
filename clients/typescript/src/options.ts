/** What calls take and answer beside what the service has. */

import type { components, operations } from "./schema.js";

type Schemas = components["schemas"];
type Query<Call extends keyof operations> = NonNullable<operations[Call]["parameters"]["query"]>;

/** How a client reaches its server. */
export interface Connection {
  /** Milliseconds of one attempt, of an export until it begins; 60,000 unless given. */
  timeout?: number;
  /** How often a call is sent again, at most; 3 unless given. */
  retries?: number;
  /** Sends requests; the runtime's own unless given. */
  fetch?: typeof fetch;
  /** Sends searches of offers, and pays for them: `wrapFetchWithPayment(fetch, wallet)` of `@x402/fetch`. */
  payingFetch?: typeof fetch;
  /** Waits before a call is sent again. */
  pause?: (seconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  signal?: AbortSignal;
}

/** A store, the caller's own unless given. */
export interface StoreOptions extends CallOptions {
  store?: string;
}

/** Where a key is. */
export interface KeyOptions extends StoreOptions {
  namespace?: string;
}

/** What an entry has beside its value, and on which conditions it is written. */
export interface PutOptions extends KeyOptions, Omit<Schemas["Write"], "value">, Omit<Query<"putMemory">, "namespace" | "wait"> {
  /** Return when searches by meaning find the entry, or after the server's time, with `indexed` false. */
  wait?: boolean;
  /** The ETag that the entry must have. */
  ifMatch?: string;
  /** `*` only creates. */
  ifNoneMatch?: string;
}

/** An entry, and its ETag for `ifMatch`. */
export interface Read {
  entry: Schemas["Entry"];
  etag: string;
}

/** Which entries are meant. */
export interface Filters extends StoreOptions, Omit<Query<"exportMemories">, "where" | "match"> {
  where?: Schemas["Condition"];
  match?: Schemas["Words"];
}

/** Which entries are listed. */
export type ListOptions = Filters & Omit<Query<"listMemories">, keyof Filters | "limit" | "cursor">;

/** Which sales are summed, and by what. */
export type SalesOptions = CallOptions & Query<"listSales">;
