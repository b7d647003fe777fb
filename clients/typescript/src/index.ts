/** Client of mneme: memory search for AI agents. */

export { Mneme } from "./client.js";
export type { CallOptions, Connection, Filters, KeyOptions, ListOptions, PutOptions, Read, SalesOptions, StoreOptions } from "./options.js";
export {
  Conflict, Forbidden, Gone, Invalid, MnemeError, NotFound, PaymentRequired, PreconditionFailed, TooManyRequests,
  TransportFailed, Unauthorized, Unavailable, UnreadableAnswer,
} from "./error.js";
export { parseJSON, stringifyJSON } from "./json.js";
export type { Problem } from "./error.js";
export type { components, operations, paths } from "./schema.js";
