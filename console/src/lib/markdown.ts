// The little of Markdown that the operator's page is written in, read into blocks that
// the console draws as text: nothing of it becomes HTML.

export interface Span {
  text: string;
  kind: "plain" | "code" | "strong";
}

export type Block =
  | { kind: "heading"; level: number; text: string; name: string } // name: of its anchor
  | { kind: "paragraph"; spans: Span[] }
  | { kind: "item"; spans: Span[] }
  | { kind: "code"; text: string }
  | { kind: "table"; head: Span[][]; rows: Span[][][] };

const anchor = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");

// spans reads code, strong text and links, of which the text stays.
function spans(text: string): Span[] {
  const all: Span[] = [];
  for (const part of text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").split(/(`[^`]+`|\*\*[^*]+\*\*)/)) {
    if (!part) continue;
    if (part.startsWith("`") && part.length > 2) all.push({ kind: "code", text: part.slice(1, -1) });
    else if (part.startsWith("**") && part.length > 4) all.push({ kind: "strong", text: part.slice(2, -2) });
    else all.push({ kind: "plain", text: part });
  }
  return all;
}

// A "|" in a table's code is written with a backslash before it.
const cells = (line: string) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((c) => spans(c.trim().replaceAll("\\|", "|")));

export function blocks(text: string): Block[] {
  const all: Block[] = [];
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!;
    const heading = /^(#+) (.*)$/.exec(line);
    if (!line.trim()) i++;
    else if (heading) {
      all.push({ kind: "heading", level: heading[1]!.length, text: heading[2]!.replaceAll("`", ""), name: anchor(heading[2]!) });
      i++;
    } else if (line.trimStart().startsWith("```")) {
      const from = ++i;
      while (i < lines.length && !lines[i]!.trimStart().startsWith("```")) i++;
      all.push({ kind: "code", text: lines.slice(from, i++).join("\n") });
    } else if (line.startsWith("|")) {
      const from = i;
      while (i < lines.length && lines[i]!.startsWith("|")) i++;
      all.push({ kind: "table", head: cells(line), rows: lines.slice(from + 2, i).map(cells) });
    } else {
      const item = /^\s*(?:[-*]|\d+\.) +/.exec(line);
      const from = i++;
      while (i < lines.length && lines[i]!.trim() && !/^(#|\||\s*```|\s*(?:[-*]|\d+\.) )/.test(lines[i]!)) i++;
      const joined = lines.slice(from, i).map((l) => l.trim()).join(" ");
      all.push({ kind: item ? "item" : "paragraph", spans: spans(item ? joined.replace(/^(?:[-*]|\d+\.) +/, "") : joined) });
    }
  }
  return all;
}

// section returns what stands under a heading, to the next one of its level.
export function section(all: Block[], name: string): Block[] {
  const from = all.findIndex((b) => b.kind === "heading" && b.name === name);
  if (from < 0) return [];
  const { level } = all[from] as { level: number };
  const to = all.findIndex((b, i) => i > from && b.kind === "heading" && b.level <= level);
  return all.slice(from, to < 0 ? undefined : to);
}
