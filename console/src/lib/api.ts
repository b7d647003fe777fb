import createClient from "openapi-fetch";

import type { components, paths } from "../api/schema";
import { base } from "./base";
import { t } from "./i18n.svelte";
import { rightOf, type Right } from "./rights";
import { session } from "./session.svelte";

export type Schemas = components["schemas"];
export type Entry = Schemas["Entry"];
export type Hit = Schemas["Hit"];
export type Question = Schemas["Question"];
export type Answer = Schemas["Answer"];
export type Label = Schemas["Label"];
export type Problem = Schemas["Problem"];

export const api = createClient<paths>({ baseUrl: base });

api.use({
  onRequest({ request }) {
    if (session.token && !request.headers.has("Authorization")) request.headers.set("Authorization", `Bearer ${session.token}`);
    return request;
  },
  onResponse({ request, response }) {
    if (response.status === 403) refused.set(response, () => rightOf(request.method, new URL(request.url.slice(base.length), location.origin).pathname, session.claims?.agent ?? ""));
  },
});

// refused are the rights that refused calls need, by their answers.
const refused = new WeakMap<Response, () => Right | null>();

// Text is read where it is shown, so that it is in the language of that moment.
export type Text = string | (() => string);

export const read = (text: Text) => (typeof text === "string" ? text : text());

// Failure is a call that was refused or got no answer.
export class Failure extends Error {
  constructor(
    private readonly what: Text,
    private readonly more: Text,
    readonly status: number, // 0: there was no answer
    readonly request: string, // id; "": none
    readonly field = "", // its place in the request
    readonly wait = 0, // seconds until it can be asked again
    private readonly needed: () => Right | null = () => null,
  ) {
    super(read(what));
  }

  get title() {
    return read(this.what);
  }

  // lang is that of the service's own texts; undefined: these are the page's.
  get lang() {
    return typeof this.what === "string" ? "en" : undefined;
  }

  get detail() {
    return read(this.more);
  }

  // sentence is the whole of it in a line.
  get sentence() {
    return this.detail ? t("failure.sentence", { title: this.title, detail: this.detail }) : this.title;
  }

  // right is the one that is missing; null: this page does not know.
  get right() {
    return this.needed();
  }
}

// failureOf turns the error of a call into a Failure.
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  return new Failure(() => t("failure.away"), () => t("failure.awayDetail"), 0, "");
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
    throw new Failure(problem.title ?? (() => t("failure.status", { status: String(response.status) })), problem.detail ?? "", response.status, problem.instance ?? "", problem.field ?? "", Number(response.headers.get("Retry-After")) || 0, refused.get(response));
  }
  return { data: data as T, response };
}
