import createClient from "openapi-fetch";

import type { components, paths } from "../api/schema";
import { rightOf, type Right } from "./rights";
import { session } from "./session.svelte";

export type Schemas = components["schemas"];
export type Entry = Schemas["Entry"];
export type Hit = Schemas["Hit"];
export type Question = Schemas["Question"];
export type Answer = Schemas["Answer"];
export type Label = Schemas["Label"];
export type Problem = Schemas["Problem"];

export const api = createClient<paths>({ baseUrl: location.origin });

api.use({
  onRequest({ request }) {
    if (session.token && !request.headers.has("Authorization")) request.headers.set("Authorization", `Bearer ${session.token}`);
    return request;
  },
  onResponse({ request, response }) {
    if (response.status === 403) refused.set(response, rightOf(request.method, new URL(request.url).pathname, session.claims?.agent ?? ""));
  },
});

// refused are the rights that refused calls need, by their answers.
const refused = new WeakMap<Response, Right | null>();

// Failure is a call that was refused or did not come through.
export class Failure extends Error {
  constructor(
    readonly title: string,
    readonly detail: string,
    readonly status: number, // 0: there was no answer
    readonly request: string, // id; "": none
    readonly field = "", // its place in the request
    readonly wait = 0, // seconds until it can be asked again
    readonly right: Right | null = null, // that is missing
  ) {
    super(title);
  }
}

// failureOf turns whatever a call ended with into a Failure.
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  return new Failure("The service does not answer", "It may be stopped, or this machine may be offline. What is shown was loaded before.", 0, "");
}

// done returns the data of a call, or throws a Failure.
export async function done<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<{ data: T; response: Response }> {
  let result;
  try {
    result = await call;
  } catch (thrown) {
    throw failureOf(thrown);
  }
  const { data, error, response } = result;
  if (error !== undefined || !response.ok) {
    const problem = (typeof error === "object" && error !== null ? error : {}) as Partial<Problem>;
    throw new Failure(problem.title ?? `Status ${response.status}`, problem.detail ?? "", response.status, problem.instance ?? "", problem.field ?? "", Number(response.headers.get("Retry-After")) || 0, refused.get(response) ?? null);
  }
  return { data: data as T, response };
}
