/** Options and results of calls that the service does not define. */

import type { components, operations } from "./schema.js";

type Schemas = components["schemas"];
type Query<Call extends keyof operations> = NonNullable<operations[Call]["parameters"]["query"]>;

/** Options of a client. */
export interface Connection {
  /** Time limit of one attempt in milliseconds, for an export until it begins; default 60,000. */
  timeout?: number;
  /** Maximum number of retries; default 3. */
  retries?: number;
  /** Sends requests; default: the runtime's fetch. */
  fetch?: typeof fetch;
  /** Sends searches of offers, and pays for them: `wrapFetchWithPayment(fetch, wallet)` of `@x402/fetch`. */
  payingFetch?: typeof fetch;
  /** Waits before a retry. */
  pause?: (seconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call, which then throws the signal's reason. */
  signal?: AbortSignal;
}

/** A store; default: the caller's own. */
export interface StoreOptions extends CallOptions {
  store?: string;
}

/** The store and namespace of a key. */
export interface KeyOptions extends StoreOptions {
  namespace?: string;
}

/** The members of an entry other than its value, and the preconditions of a write. */
export interface PutOptions extends KeyOptions, Omit<Schemas["Write"], "value">, Omit<Query<"putMemory">, "namespace" | "wait"> {
  /** Return when the vector leg can find the entry, or at the server's time limit with `indexed` false. */
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

/** The selected entries. */
export interface Filters extends StoreOptions, Omit<Query<"exportMemories">, "where" | "match"> {
  where?: Schemas["Condition"];
  match?: Schemas["Words"];
}

/** The listed entries. */
export type ListOptions = Filters & Omit<Query<"listMemories">, keyof Filters | "limit" | "cursor">;

/** The selected sales, and their grouping. */
export type SalesOptions = CallOptions & Query<"listSales">;
