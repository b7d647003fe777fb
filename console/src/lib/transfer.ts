// Import and export of a store in the page: lines of JSON are sent in parts, so that
// there is progress, and a file of any size needs little memory.

import { api, done, Failure, type Schemas } from "./api";
import { t } from "./i18n.svelte";

const partLines = 200;
const partBytes = 1 << 20;
const headBytes = 1 << 16;

// Import is how far a file has come.
export interface Import {
  file: File;
  store: string;
  at: number; // bytes that were sent and answered
  read: number; // lines, empty ones too
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
  refusals: Schemas["Refusal"][]; // lines counted from the file's beginning; the first maxRefusals
}

export const maxRefusals = 1000;

export function importOf(store: string, file: File): Import {
  return { file, store, at: 0, read: 0, created: 0, updated: 0, unchanged: 0, refused: 0, refusals: [] };
}

// isLines reports whether a file looks like entries, one JSON object per line: at least one
// of its first lines has a key. A line that exceeds the examined part counts if it begins
// like an object.
export async function isLines(file: File) {
  const lines = (await file.slice(0, headBytes).text()).replace(/^\uFEFF/, "").split("\n");
  const cut = file.size > headBytes ? lines.pop()! : "";
  if (lines.some(isEntry)) return true;
  return lines.every((l) => !l.trim()) && cut.trimStart().startsWith("{");
}

function isEntry(line: string) {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "key" in value;
  } catch {
    return false;
  }
}

// parts yields the places in a file at which a part of it ends, with the lines in it.
// A line that is longer than a part is a part.
async function* parts(file: File, from: number) {
  const reader = file.slice(from).stream().getReader();
  let start = from;
  let end = from; // of the last whole line
  let lines = 0;
  let at = from;
  try {
    for (;;) {
      const { done: over, value } = await reader.read();
      if (over) break;
      for (let i = value.indexOf(10); i >= 0; i = value.indexOf(10, i + 1)) {
        const next = at + i + 1;
        if (lines > 0 && next - start > partBytes) {
          yield { start, end, lines };
          start = end;
          lines = 0;
        }
        end = next;
        if (++lines === partLines) {
          yield { start, end, lines };
          start = end;
          lines = 0;
        }
      }
      at += value.length;
    }
    if (lines > 0) yield { start, end, lines };
    if (at > end) yield { start: end, end: at, lines: 1 };
  } finally {
    void reader.cancel();
  }
}

// importLines sends the rest of a file, and records its progress in state. It ends between
// two parts when stopped returns true. After a failure it can be called again: lines that
// were already written change nothing.
export async function importLines(state: Import, stopped: () => boolean) {
  for await (const part of parts(state.file, state.at)) {
    if (stopped()) return;
    const { data } = await done(
      api.POST("/v1/stores/{store}/import", {
        params: { path: { store: state.store } },
        headers: { "Content-Type": "application/x-ndjson" },
        // The body is lines of the schema, as they stand in the file.
        body: state.file.slice(part.start, part.end) as never,
        bodySerializer: (body) => body as unknown as Blob,
      }),
    );
    for (const refusal of data.refusals) {
      if (state.refusals.length < maxRefusals) state.refusals.push({ ...refusal, line: state.read + refusal.line });
    }
    state.created += data.created;
    state.updated += data.updated;
    state.unchanged += data.unchanged;
    state.refused += data.refused;
    state.read += part.lines;
    state.at = part.end;
  }
}

// exportLines reads all matching entries, and reports its progress. A premature end is a
// failure: a partial export is never taken for a complete one.
export async function exportLines(store: string, query: { where?: string; match?: string }, signal: AbortSignal, progress: (entries: number) => void) {
  const { data } = await done(api.GET("/v1/stores/{store}/export", { params: { path: { store }, query }, parseAs: "stream", signal }));
  const kept: Blob[] = [];
  let entries = 0;
  if (!data) return new Blob(kept, { type: "application/x-ndjson" }); // an empty store has no body
  const reader = (data as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  try {
    for (;;) {
      const { done: over, value } = await reader.read();
      if (over) break;
      kept.push(new Blob([value]));
      for (let i = value.indexOf(10); i >= 0; i = value.indexOf(10, i + 1)) entries++;
      progress(entries);
    }
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    throw new Failure(() => t("export.early"), () => t("export.earlyDetail"), 0, "");
  }
  return new Blob(kept, { type: "application/x-ndjson" });
}

export function save(name: string, blob: Blob) {
  const url = URL.createObjectURL(blob);
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser may still be writing
}
