import { api, done } from "./api";

// Item is one line of the palette.
export interface Item {
  id: string; // of its element
  kind: "ask" | "screen" | "store" | "key" | "action";
  text: string;
  note?: string;
  run: () => void;
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u; // no spaces stand between words

// matches tells whether all words of what was typed begin a word of the text, or are in it
// where words do not show where they begin.
export function matches(text: string, typed: string) {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return typed.toLowerCase().split(/\s+/).filter(Boolean).every((part) => words.some((w) => w.startsWith(part)) || text.toLowerCase().startsWith(part) || (unspaced.test(part) && text.toLowerCase().includes(part)));
}

export interface Found {
  store: string;
  namespace: string;
  key: string;
}

// keysOf completes a beginning of keys in the visitor's own store.
export async function keysOf(prefix: string, signal: AbortSignal): Promise<Found[]> {
  const { data } = await done(api.GET("/v1/stores/{store}/memories", { params: { path: { store: "self" }, query: { prefix, limit: 8 } }, signal }));
  return data.items.map((e) => ({ store: e.store_id, namespace: e.namespace, key: e.key }));
}
