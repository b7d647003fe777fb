/** The errors of calls. */

import type { components } from "./schema.js";

export type Problem = components["schemas"]["Problem"];

/**
 * A response that reports a problem. Its message has the host, the status and the server's
 * problem document, never the request.
 */
export class MnemeError extends Error {
  override name = "MnemeError";
  /** The server's host and port. */
  readonly host: string;
  readonly status: number;
  /** The problem document (RFC 9457); empty if the response has none. */
  readonly problem: Partial<Problem>;
  /** The field of the request that breaks a rule, such as `where.and[1].updated_at.gte`; "" if none is named. */
  readonly field: string;
  /** Seconds to wait before a retry; undefined if the server did not say. */
  readonly retryAfter: number | undefined;

  constructor(host: string, status: number, problem: Partial<Problem>, retryAfter?: number) {
    const title = problem.title ? `, ${problem.title}` : "";
    const detail = problem.detail ? `: ${problem.detail}` : "";
    const request = problem.instance ? ` (request ${problem.instance})` : "";
    const named = problem.field && !detail.includes(problem.field) ? ` (field ${problem.field})` : "";
    super(`server ${host}: status ${status}${title}${detail}${named}${request}`);
    this.host = host;
    this.status = status;
    this.problem = problem;
    this.field = problem.field ?? "";
    this.retryAfter = retryAfter;
  }
}

/**
 * The server could not be reached, or the connection failed before the answer's end: the call
 * may have been performed.
 */
export class TransportFailed extends Error {
  override name = "TransportFailed";
  readonly host: string;

  constructor(host: string) {
    super(`server ${host}: the connection failed`);
    this.host = host;
  }
}

/** The server's answer does not match its OpenAPI document. */
export class UnreadableAnswer extends Error {
  override name = "UnreadableAnswer";
  readonly host: string;

  constructor(host: string) {
    super(`server ${host}: the answer cannot be read`);
    this.host = host;
  }
}

/** 401: the token is missing or not valid. */
export class Unauthorized extends MnemeError {
  override name = "Unauthorized";
}

/** 402: the call costs more than the caller may spend. */
export class PaymentRequired extends MnemeError {
  override name = "PaymentRequired";
}

/** 403 */
export class Forbidden extends MnemeError {
  override name = "Forbidden";
}

/** 404 of the service itself: the resource does not exist. A proxy's 404 is only a MnemeError. */
export class NotFound extends MnemeError {
  override name = "NotFound";
}

/** 409 */
export class Conflict extends MnemeError {
  override name = "Conflict";
}

/** 410: read the store again, and follow it from a new cursor. */
export class Gone extends MnemeError {
  override name = "Gone";
}

/** 412: the entry does not meet the preconditions of the write. */
export class PreconditionFailed extends MnemeError {
  override name = "PreconditionFailed";
}

/** 422: field names the field that breaks a rule. */
export class Invalid extends MnemeError {
  override name = "Invalid";
}

/** 429: retryAfter is the time to wait before a retry. */
export class TooManyRequests extends MnemeError {
  override name = "TooManyRequests";
}

/** 503 */
export class Unavailable extends MnemeError {
  override name = "Unavailable";
}

const byStatus: Record<number, typeof MnemeError> = {
  401: Unauthorized, 402: PaymentRequired, 403: Forbidden, 404: NotFound, 409: Conflict, 410: Gone,
  412: PreconditionFailed, 422: Invalid, 429: TooManyRequests, 503: Unavailable,
};

/** Returns the error that a response reports. */
export async function errorOf(response: Response, host: string): Promise<MnemeError> {
  let problem: unknown;
  if (response.headers.get("content-type")?.split(";")[0]?.trim() === "application/problem+json") {
    problem = await response.json().catch(() => undefined);
  } else {
    await response.body?.cancel().catch(() => undefined);
  }
  const seconds = response.headers.get("retry-after") ?? "";
  const said: Partial<Problem> = typeof problem === "object" && problem !== null ? problem : {};
  const foreign = response.status === 404 && said.type !== "urn:mneme:problem:not-found";
  const kind = foreign ? MnemeError : (byStatus[response.status] ?? MnemeError);
  return new kind(
    host, response.status, said,
    /^\d+$/.test(seconds) ? Number(seconds) : undefined,
  );
}
