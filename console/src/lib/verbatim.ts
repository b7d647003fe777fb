// Values of entries as the JSON text that they have in the service. Parsing rounds long
// numbers and loses their notation, such as 1.10. So shown, saved and returned values are
// cut from the text of the answer.

import type { Entry } from "./api";

export type Verbatim = Entry & { json: string }; // json is the text of the value

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const opening = /^[{[]$/;
const closing = /^[}\]]$/;

// parts yields the texts in an object or array: of its members, with their names, or of
// its elements.
function* parts(json: string): Generator<[name: string, text: string]> {
  let depth = 0;
  let name = "";
  let start = 0; // of the name or text
  for (const { 0: token, index } of json.matchAll(tokens)) {
    if (closing.test(token)) depth--;
    // The first token ends nothing, and the text before it is empty.
    const ends = depth === 0 || (depth === 1 && (token === "," || token === ":"));
    if (opening.test(token)) depth++;
    if (!ends) continue;
    const text = json.slice(start, index).trim();
    if (token === ":") name = JSON.parse(text) as string;
    else if (text) yield [name, text];
    start = index + 1;
  }
}

export function memberOf(json: string, name: string): string | undefined {
  for (const [member, text] of parts(json)) if (member === name) return text;
  return undefined;
}

// elementsOf returns the texts of the elements of a list, which is a member of an object.
export function elementsOf(json: string, name: string): string[] {
  return Array.from(parts(memberOf(json, name) ?? "[]"), ([, text]) => text);
}

export function entryOf(json: string): Verbatim {
  return { ...(JSON.parse(json) as Entry), json: memberOf(json, "value")! };
}

// withValue returns the JSON of a request, with a value as its text. The request has other
// members too.
export function withValue(request: { value?: unknown }, json: string): string {
  const { value: _, ...others } = request;
  return `{"value":${json},${JSON.stringify(others).slice(1)}`;
}

// valueOf returns a value as one reads and edits it: a string as text, any other as
// indented JSON.
export function valueOf(entry: Verbatim): string {
  if (typeof entry.value === "string") return entry.value;
  let text = "";
  let depth = 0;
  let before = "";
  for (const [token] of entry.json.matchAll(tokens)) {
    if (closing.test(token)) depth--;
    const empty = opening.test(before) && closing.test(token);
    if (!empty && (opening.test(before) || before === "," || closing.test(token))) text += `\n${"  ".repeat(depth)}`;
    // Some writers escape every non-ASCII character.
    text += token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token === ":" ? ": " : token;
    if (opening.test(token)) depth++;
    before = token;
  }
  return text;
}

// compact returns a JSON text without white space between its tokens.
export function compact(json: string): string {
  return json.match(tokens)!.join("");
}
