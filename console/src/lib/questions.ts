import { api, done, type Entry } from "./api";
import { textOf } from "./format";

// Questions that a store can answer. Each is of what one entry is about: its description,
// or its key where that is words, or else how its text begins. A search finds all three.
export interface Suggestion {
  subject: string;
  store: string;
  namespace: string;
  key: string;
}

const most = 3;
const longest = 64; // characters of a subject

// suggestions are of the entries that happened last, or else were written last, each of
// another folder of keys while there are some. They are taken from the first stores that
// may be read, the visitor's own before others; none if these are empty.
export async function suggestions(): Promise<Suggestion[]> {
  const { stores } = (await done(api.GET("/v1/stores"))).data;
  const readable = stores.filter((s) => s.level !== "search").sort((a, b) => Number(b.kind === "self") - Number(a.kind === "self"));
  for (const { store_id: store } of readable.slice(0, 3)) {
    const { data } = await done(api.GET("/v1/stores/{store}/memories", { params: { path: { store }, query: { limit: 100 } } }));
    const found = chosen(data.items);
    if (found.length > 0) return found;
  }
  return [];
}

function chosen(entries: Entry[]): Suggestion[] {
  const when = (e: Entry) => e.occurred_at ?? e.updated_at;
  const newest = entries.filter((e) => !e.encrypted && e.in_context).sort((a, b) => (when(a) < when(b) ? 1 : -1));
  const all: (Suggestion & { folder: string })[] = [];
  const subjects = new Set<string>();
  for (const e of newest) {
    const subject = subjectOf(e);
    if (!subject || subjects.has(subject)) continue;
    subjects.add(subject);
    all.push({ subject, store: e.store_id, namespace: e.namespace, key: e.key, folder: `${e.namespace}/${e.key.split("/")[0]}` });
  }
  const folders = new Set<string>();
  const apart = all.filter((s) => !folders.has(s.folder) && folders.add(s.folder));
  return [...apart, ...all.filter((s) => !apart.includes(s))].slice(0, most);
}

function subjectOf(e: Entry) {
  if (e.description.trim()) return beginning(e.description);
  const words = e.key.split(/[/\s._-]+/).filter(Boolean);
  if (words.length > 1 && words.every((w) => /^\p{L}[\p{L}\p{M}]{1,23}$/u.test(w))) return beginning(words.join(" "));
  return beginning(textOf(e.value));
}

// beginning is the first sentence or line of a text, cut between words if it is long.
function beginning(text: string) {
  const line = text.slice(0, 400).trim().split(/[\n\r。！？]|[.!?](?=\s|$)/)[0]!.replace(/[\p{Cc}\p{Cf}]/gu, "").replace(/\s+/g, " ").trim();
  const letters = [...line];
  if (letters.length <= longest) return line;
  const cut = letters.slice(0, longest).join("");
  return cut.includes(" ") ? cut.slice(0, cut.lastIndexOf(" ")) : cut;
}
