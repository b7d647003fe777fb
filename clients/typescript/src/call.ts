/** Sending of requests: time limits, retries and cancellation. */

import { errorOf, type MnemeError, TransportFailed } from "./error.js";
import { parseJSON, stringifyJSON } from "./json.js";

/** Maximum pause, in seconds. */
export const maxWait = 30;

export type Fetch = (request: Request) => Promise<Response>;

export interface Sending {
  host: string;
  fetch: Fetch;
  /** Cancels the call. */
  signal: AbortSignal | undefined;
  /** Time limit of each attempt, in milliseconds. */
  timeout: number;
  /** Maximum number of retries. */
  retries: number;
  pause: (seconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** The call is idempotent. */
  safe: boolean;
  /** The caller streams the answer; otherwise it is read completely within the time limit. */
  stream: boolean;
}

/** Sends a request, with retries, and returns the answer unless it is an error. */
export async function send(request: Request, by: Sending): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    by.signal?.throwIfAborted();
    let response;
    try {
      response = await attempted(request, by);
    } catch {
      // The error of fetch may quote the request.
      by.signal?.throwIfAborted();
      if (attempt > by.retries || !by.safe) throw new TransportFailed(by.host);
      await by.pause(backoff(attempt), by.signal);
      continue;
    }
    if (response.ok || response.status === 304) return response;
    const error = await errorOf(response, by.host);
    const wait = pauseBefore(error, attempt, by.safe);
    if (wait === undefined || attempt > by.retries) throw error;
    await by.pause(wait, by.signal);
  }
}

async function attempted(request: Request, by: Sending): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), by.timeout);
  try {
    const signal = by.signal ? AbortSignal.any([by.signal, limit.signal]) : limit.signal;
    const response = await by.fetch(new Request(request.clone(), { signal }));
    if (by.stream && response.ok) return response;
    const { status, statusText, headers } = response;
    const body = await response.arrayBuffer();
    return exact(new Response(body.byteLength > 0 ? body : null, { status, statusText, headers }), body.byteLength);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a response with the given bytes, whose JSON preserves all digits of integers. */
function exact(response: Response, bytes: number): Response {
  response.headers.set("Content-Length", String(bytes)); // without it openapi-fetch reads text and parses the JSON itself
  return Object.defineProperty(response, "json", { value: async () => parseJSON(await response.text()) });
}

/** Returns the seconds to wait after a failed attempt. */
export function backoff(attempt: number): number {
  return (0.5 + Math.random() / 2) * Math.min(0.25 * 2 ** attempt, maxWait);
}

/**
 * Returns how long to wait before a refused call is retried; undefined if it is not. A call
 * that is not idempotent is retried only after 429, when it was certainly not performed.
 */
function pauseBefore(error: MnemeError, attempt: number, safe: boolean): number | undefined {
  if (error.status !== 429 && !(safe && error.status === 503)) return undefined;
  const wait = error.retryAfter ?? backoff(attempt);
  return wait <= maxWait ? wait : undefined;
}

/** Waits, unless the caller cancels before. */
export function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Returns a server's address, or throws an Error that does not contain it. */
export function checkedURL(url: string): URL {
  const parsed = parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new Error("the server's address must be http:// or https:// and a host, without user, query or fragment");
  }
  return parsed;
}

function parse(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

/** The text of each line of an answer: its numbers may exceed JavaScript's precision. */
const texts = new WeakMap<object, string>();

/** Returns a line as JSON. An unchanged line of an answer is returned as received. */
export function lineOf(line: object): string {
  const json = stringifyJSON(line);
  const text = texts.get(line);
  return text !== undefined && stringifyJSON(parseJSON(text)) === json ? text : json;
}

/** Yields the lines of an answer. */
export async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<object> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const parts = (rest + (value ?? "")).split("\n");
      rest = done ? "" : (parts.pop() ?? "");
      for (const part of parts) {
        if (part === "") continue;
        const line = parseJSON(part) as object;
        texts.set(line, part);
        yield line;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
