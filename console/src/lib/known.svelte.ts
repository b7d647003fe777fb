import { api, done, type Hit } from "./api";
import { session } from "./session.svelte";

// What the editors complete: stores that this token may search, and the namespaces and
// tags of its own store, as its own calls gave them. Another token begins anew.
class Known {
  stores = $state<string[]>([]);
  namespaces = $state<string[]>([]);
  tags = $state<string[]>([]);
  private of: string | null = null; // the token that they were told to
  private own = "";

  // load reads the stores, and the first entries of the visitor's own one.
  async load() {
    const token = session.token;
    if (this.of === token) return;
    this.of = token;
    [this.stores, this.namespaces, this.tags, this.own] = [[], [], [], ""];
    try {
      const { stores } = (await done(api.GET("/v1/stores"))).data;
      if (this.of !== token) return;
      this.stores = stores.map((s) => s.store_id);
      this.own = stores.find((s) => s.kind === "self")?.store_id ?? "";
      let cursor: string | undefined;
      for (let page = 0; page < 3; page++) {
        const query = { limit: 100, ...(cursor ? { cursor } : {}) };
        const { data } = await done(api.GET("/v1/stores/{store}/memories", { params: { path: { store: "self" }, query } }));
        if (this.of !== token) return;
        this.add(data.items);
        cursor = data.next_cursor;
        if (!cursor) break;
      }
    } catch {
      this.of = null; // they can be typed, and are asked for again
    }
  }

  // learn takes what an answer shows of the visitor's own store.
  learn(hits: Hit[]) {
    if (this.of === session.token && this.own) this.add(hits.filter((h) => h.store_id === this.own));
  }

  private add(entries: { namespace?: string; tags?: string[] | null }[]) {
    const merged = (known: string[], more: (string | undefined)[]) => [...new Set([...known, ...more.filter((m): m is string => !!m)])].sort();
    this.namespaces = merged(this.namespaces, entries.map((e) => e.namespace));
    this.tags = merged(this.tags, entries.flatMap((e) => e.tags ?? []));
  }
}

export const known = new Known();
