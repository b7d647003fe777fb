import { api, done, type Answer, type Hit, type Question, type Schemas } from "./api";
import { timings } from "./format";
import { t } from "./i18n.svelte";
import { placeOf } from "./json";

// Options are those of a question but its text. Of queries, the first is the question.
export type Options = Partial<Omit<Question, "query" | "cursor" | "explain">>;

export interface Asked {
  answer: Answer;
  steps: Map<string, number>;
  request: Partial<Question>;
  explained: boolean;
  leftOut: string[]; // stores that may only be searched, which take none of the options
  within: string[]; // those that were searched, where some were left out
}

// Options of a search in stores that may only be searched. With others, and with an
// explanation, those stores are left out, or refused if they are named.
const plain = new Set(["query", "stores", "limit", "passages", "min_relevance", "max_tokens", "max_charge"]);

// newKey returns an Idempotency-Key. Pages without TLS have no randomUUID.
export const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

// requestOf is the body that a question is asked with.
export function requestOf(query: string, options: Options): Partial<Question> {
  const { queries, ...rest } = options;
  return { ...(queries ? { queries: [query, ...queries.slice(1)] } : { query }), passages: true, limit: 10, ...rest };
}

// readRequest reads a whole request that was written as JSON: its question and its
// options, without those that every request here has.
export function readRequest(text: string): { query: string; options: Options } {
  const place = placeOf(text);
  if (place) throw new SyntaxError(place.said);
  const read: unknown = JSON.parse(text);
  if (read === null || typeof read !== "object" || Array.isArray(read)) throw new SyntaxError(t("json.object"));
  const { query, explain, cursor, ...rest } = read as Record<string, unknown>;
  if (cursor !== undefined) throw new SyntaxError(t("json.cursor"));
  if (explain !== undefined && explain !== true) throw new SyntaxError(t("json.explain"));
  if (query !== undefined && rest.queries !== undefined) throw new SyntaxError(t("json.queries"));
  const [first] = Array.isArray(rest.queries) ? (rest.queries as unknown[]) : [query];
  if (typeof first !== "string") throw new SyntaxError(t("json.query"));
  if (rest.passages === true) delete rest.passages;
  if (rest.limit === 10) delete rest.limit;
  return { query: first, options: rest as Options };
}

// optionOf is the option that a refusal's place is in: "where" for where.updated_at.gte.
export function optionOf(field: string) {
  return /^[^.[]*/.exec(field)![0];
}

// ask asks. A search that may cost money is charged for once under its key.
export async function ask(query: string, options: Options, key: string): Promise<Asked> {
  const request = requestOf(query, options);
  const paid = request.max_charge !== undefined;
  const post = (explain: boolean) => {
    const body = (explain ? { ...request, explain } : request) as unknown as Question; // the service fills in the defaults
    return done(api.POST("/v1/search", { body, ...(paid ? { params: { header: { "Idempotency-Key": key } } } : {}) }));
  };
  const { stores } = (await done(api.GET("/v1/stores"))).data;
  const names = (among: typeof stores) => among.map((s) => s.store_id);
  const searchOnly = names(stores.filter((s) => s.level === "search" && (request.stores?.includes(s.store_id) ?? true)));
  const leftOut = request.stores || Object.keys(request).every((option) => plain.has(option)) ? [] : searchOnly;
  const searchesThem = paid || searchOnly.length > leftOut.length;
  const explained = !paid && !(searchesThem && request.stores);
  const [found, why] = await Promise.all([searchesThem ? post(false) : null, explained ? post(true) : null]);
  const answer = (found ?? why)!.data;
  if (found && why) explain(answer, why.data);
  return {
    answer,
    steps: timings(why?.response.headers.get("Server-Timing") ?? null),
    request,
    explained,
    leftOut,
    within: leftOut.length > 0 ? names(stores.filter((s) => s.level !== "search")) : [],
  };
}

// explain gives the hits of an answer the explanations of another one, which lacks those
// of stores that may only be searched.
function explain(answer: Answer, why: Answer) {
  const explanations = new Map(why.hits.map((h) => [identity(h), h.explain]));
  for (const hit of answer.hits) {
    const found = explanations.get(identity(hit));
    if (found) hit.explain = found;
  }
  if (why.explain) answer.explain = why.explain;
}

// whyNot describes the outcome of the entry at a path in an explained search.
export async function whyNot(request: Partial<Question>, path: { store?: string; namespace?: string; key: string }): Promise<Schemas["EntryExplanation"] | null> {
  const body = { ...request, explain: path } as unknown as Question;
  return (await done(api.POST("/v1/search", { body }))).data.explain?.entry ?? null;
}

// identity identifies a hit across answers.
export function identity(hit: Hit) {
  return hit.id ?? JSON.stringify([hit.store_id, hit.namespace ?? "", hit.key]);
}

// movement describes a hit's rank in another answer.
export function movement(hit: Hit, rank: number, other: Answer | undefined): string {
  if (!other) return "";
  const at = other.hits.findIndex((h) => identity(h) === identity(hit)) + 1;
  if (at === 0) return t("moved.onlyHere");
  if (at === rank) return t("moved.same");
  return at > rank ? t("moved.up", { at }) : t("moved.down", { at });
}

// parse reads options that were written as JSON.
export function parse(text: string | null): Options {
  if (!text) return {};
  const read: unknown = JSON.parse(text);
  if (read === null || typeof read !== "object" || Array.isArray(read)) throw new SyntaxError("must be a JSON object");
  return read as Options;
}
