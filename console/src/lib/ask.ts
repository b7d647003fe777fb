import { api, done, type Answer, type Hit, type Question } from "./api";
import { timings } from "./format";
import { t } from "./i18n.svelte";
import { placeOf } from "./json";

// Options are those of a question but its text. Of queries, the first is the question.
export type Options = Partial<Omit<Question, "query" | "cursor" | "explain">>;

export interface Asked {
  answer: Answer;
  steps: Map<string, number>;
  request: Partial<Question>;
}

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

// ask asks. With a path, the answer also tells what became of the entry there.
export async function ask(query: string, options: Options, path?: { store?: string; namespace?: string; key: string }): Promise<Asked> {
  const request = requestOf(query, options);
  const body = { ...request, explain: path ?? true } as unknown as Question; // the service fills in the defaults
  const { data, response } = await done(api.POST("/v1/search", { body }));
  return { answer: data, steps: timings(response.headers.get("Server-Timing")), request };
}

// identity tells whether two hits are one.
export function identity(hit: Hit) {
  return hit.id ?? JSON.stringify([hit.store_id, hit.namespace ?? "", hit.key]);
}

// movement tells where a hit of one answer stands in another.
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

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

// callsOf are ways to ask the same from elsewhere.
export function callsOf(request: Partial<Question>): { name: string; text: string }[] {
  const url = `${location.origin}/v1/search`;
  const pretty = JSON.stringify(request, null, 2);
  return [
    { name: "curl", text: `curl ${url} -H "Authorization: Bearer $TOKEN" \\\n  -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(request))}` },
    {
      name: "Python",
      text: `import json, os, urllib.request\n\nbody = json.loads(${JSON.stringify(JSON.stringify(request))})\ncall = urllib.request.Request(\n    "${url}", json.dumps(body).encode(),\n    {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"},\n)\nprint(json.load(urllib.request.urlopen(call)))`,
    },
    {
      name: "TypeScript",
      text: `const answer = await fetch("${url}", {\n  method: "POST",\n  headers: { Authorization: \`Bearer \${process.env.TOKEN}\`, "Content-Type": "application/json" },\n  body: JSON.stringify(${pretty}),\n});\nconsole.log(await answer.json());`,
    },
    { name: t("ask.mcpCall"), text: JSON.stringify({ method: "tools/call", params: { name: "memory_search", arguments: toolArguments(request) } }, null, 2) },
  ];
}

// toolArguments are a request's options under the names of the tool.
function toolArguments(request: Partial<Question>) {
  const { limit, ...rest } = request;
  return limit === undefined ? rest : { ...rest, max_results: limit };
}
