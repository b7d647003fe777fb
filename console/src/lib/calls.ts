import type { Question } from "./api";
import { base } from "./base";
import { t } from "./i18n.svelte";

// Call is a way to ask a question from elsewhere.
export interface Call {
  id: "python" | "typescript" | "go" | "command" | "mcp" | "curl";
  name: string;
  text: string;
}

const quoted = (text: string) => (/^[A-Za-z0-9._:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

// callsOf returns code for the same search outside the console: with our clients, the
// command, a tool, and HTTP. It reads the token from MNEME_TOKEN, so it contains none.
export function callsOf(request: Partial<Question>, agent: string, taint: string): Call[] {
  const url = base;
  const json = JSON.stringify(request);
  const { query, ...options } = request;
  const named = Object.entries(options).map(([name, value]) => `${name}=${python(value)}`);
  const asked = [...(query === undefined ? [] : [python(query)]), ...named].join(", ");
  return [
    {
      id: "python",
      name: "Python",
      text: `import os\nfrom mneme import Mneme\n\nwith Mneme("${url}", os.environ["MNEME_TOKEN"]) as memory:\n    for hit in memory.search(${asked}).hits:\n        print(hit.relevance, hit.key)`,
    },
    {
      id: "typescript",
      name: "TypeScript",
      text: `import { Mneme } from "mneme-client";\n\nconst memory = new Mneme("${url}", process.env.MNEME_TOKEN);\nconst answer = await memory.search(${JSON.stringify(request, null, 2)});\nfor (const hit of answer.hits) console.log(hit.relevance, hit.key);`,
    },
    {
      id: "go",
      name: "Go",
      text: `// import client "mneme/clients/go", and "mneme/clients/go/api"\nc, err := client.New("${url}", client.Options{Token: client.StaticToken(os.Getenv("MNEME_TOKEN"))})\nif err != nil {\n\treturn err\n}\nvar question api.Question\nif err := json.Unmarshal([]byte(${JSON.stringify(json)}), &question); err != nil {\n\treturn err\n}\nanswer, _, err := c.Search(ctx, question)\nif err != nil {\n\treturn err\n}\nfor _, hit := range answer.Hits {\n\tfmt.Println(hit.Relevance, hit.Key)\n}`,
    },
    { id: "command", name: "mneme", text: command(request, url, agent, taint) },
    { id: "mcp", name: t("ask.mcpCall"), text: JSON.stringify({ method: "tools/call", params: { name: "memory_search", arguments: toolArguments(request) } }, null, 2) },
    { id: "curl", name: "curl", text: `curl ${url}/v1/search -H "Authorization: Bearer $MNEME_TOKEN" \\\n  -H 'Content-Type: application/json' -d '${json.replaceAll("'", `'\\''`)}'` },
  ];
}

// python writes a value of JSON as Python does.
function python(value: unknown): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([name, of]) => `${JSON.stringify(name)}: ${python(of)}`).join(", ")}}`;
  return JSON.stringify(value);
}

// command asks with the program. Its flags have the names of the options.
function command(request: Partial<Question>, url: string, agent: string, taint: string) {
  const { query, queries, explain: _, cursor: __, ...options } = request;
  const [first = "", ...others] = queries ?? [query ?? ""];
  const flags = Object.entries(options).flatMap(([name, value]) => flagsOf(name.replaceAll("_", "-"), value));
  const all = [`--agent ${quoted(agent || "AGENT")}`, ...(taint && taint !== "PUBLIC" ? [`--taint ${taint}`] : []), `--url ${url}`, ...flags, ...others.map((o) => `--wording ${quoted(o)}`)];
  return `mneme search ${all.join(" ")} -- ${quoted(first)}`;
}

function flagsOf(name: string, value: unknown): string[] {
  if (value === undefined || value === null || value === "" && name !== "namespace") return [];
  if (name === "nearest") return []; // the command names the nearest by itself
  if (name === "max-charge") return [`--max-charge ${Number(value) / 1_000_000}`]; // of micros
  if (name === "recency") {
    const { half_life: life, weight } = value as { half_life: string; weight?: number };
    return [`--recency ${quoted(weight === undefined ? life : `${life}:${weight}`)}`];
  }
  if (typeof value === "boolean") return [value ? `--${name}` : `--${name}=false`];
  if (Array.isArray(value)) return [`--${name} ${quoted(value.map((v) => (/[",]/.test(String(v)) ? `"${String(v).replaceAll('"', '""')}"` : String(v))).join(","))}`];
  return [`--${name} ${value === "" ? "''" : quoted(typeof value === "object" ? JSON.stringify(value) : String(value))}`];
}

// toolArguments are a request's options under the names of the tool.
function toolArguments(request: Partial<Question>) {
  const { limit, ...rest } = request;
  return limit === undefined ? rest : { ...rest, max_results: limit };
}
