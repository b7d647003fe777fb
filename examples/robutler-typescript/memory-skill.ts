// A memory skill that stores its memories through the portal API at
// /api/storage/memory. It calls the API as the Robutler skills do: keys are
// percent-encoded in the path, the token is a Bearer token, edit is view and
// create, rename is view, create and delete.

export type Hit = { key: string; value: unknown; storeId: string; score: number };
export type Store = { storeId: string; kind: string; level: string };
export type Level = "search" | "read" | "readwrite";

export type Config = {
  portalUrl: string;
  apiKey: string;
  agentId: string;
  chatId?: string;
  userId?: string;
  defaultTtl?: number; // seconds; 0: none
};

/** The portal refused a call. */
export class Refused extends Error {
  constructor(readonly status: number) {
    const reasons: Record<number, string> = { 403: "access denied", 404: "not found", 413: "value too large", 429: "key limit reached" };
    super(`${reasons[status] ?? "failed"} (${status})`);
  }
}

/** The memory tool's nine commands, and the calls for other skills: getInternal and setInternal. */
export class MemorySkill {
  constructor(private readonly config: Config) {}

  async view(path = "/memories/"): Promise<unknown> {
    const { store, key } = this.place(path);
    if (!path.endsWith("/")) return (await this.call("GET", key, this.about({ store }))).value;
    return (await this.call("GET", "", this.about({ store, inContext: "true", prefix: key || undefined }))).keys;
  }

  async create(path: string, content: unknown): Promise<void> {
    await this.put(path, { value: content, ttl: this.config.defaultTtl ?? 0 });
  }

  async edit(path: string, oldStr: string, newStr: string): Promise<void> {
    const value = await this.view(path);
    if (typeof value !== "string" || !value.includes(oldStr)) throw new Error("old_str is not in the entry");
    await this.put(path, { value: value.replace(oldStr, () => newStr) });
  }

  async delete(path: string): Promise<void> {
    const { store, key } = this.place(path);
    await this.call("DELETE", key, this.about({ store }));
  }

  async rename(path: string, newStr: string): Promise<void> {
    await this.put(newStr, { value: await this.view(path) });
    await this.delete(path);
  }

  async search(query: string): Promise<Hit[]> {
    return (await this.call("GET", "", this.about({ action: "search", q: query }))).results;
  }

  async share(agent: string, level: Level = "read", path = "/memories/"): Promise<void> {
    const body = { agentId: this.config.agentId, store: this.place(path).store, grantee: agent, level };
    await this.call("POST", "", { action: "share" }, body);
  }

  async unshare(agent: string, path = "/memories/"): Promise<void> {
    await this.call("DELETE", "", { action: "share", store: this.place(path).store, grantee: agent });
  }

  async stores(): Promise<Store[]> {
    return (await this.call("GET", "", this.about({ action: "stores" }))).stores;
  }

  async getInternal(store: string, key: string): Promise<unknown> {
    return (await this.call("GET", key, { agentId: this.config.agentId, store })).value;
  }

  async setInternal(store: string, key: string, value: unknown, more: { encrypted?: boolean; ttl?: number } = {}): Promise<void> {
    const { encrypted = false, ttl = 0 } = more;
    await this.call("PUT", key, {}, { value, agentId: this.config.agentId, store, namespace: "", inContext: false, encrypted, ttl });
  }

  private async put(path: string, fields: object): Promise<void> {
    const { store, key } = this.place(path);
    const { agentId, chatId, userId } = this.config;
    await this.call("PUT", key, {}, { ...fields, agentId, store, chatId, userId });
  }

  private about(more: Record<string, string | undefined>): Record<string, string | undefined> {
    const { agentId, chatId, userId } = this.config;
    return { agentId, chatId, userId, ...more };
  }

  /** The store and key of a path: /memories/<key>, or /memories/shared/<store>/<key>. */
  private place(path: string): { store: string; key: string } {
    const key = path.replace(/^\/memories\/?/, "");
    const shared = /^shared\/([^/]+)\/?(.*)$/s.exec(key);
    return shared ? { store: shared[1]!, key: shared[2]! } : { store: this.config.agentId, key };
  }

  private async call(method: string, key: string, query: Record<string, string | undefined>, body?: object): Promise<any> {
    const url = new URL(`${this.config.portalUrl.replace(/\/$/, "")}/api/storage/memory${key && "/" + encodeURIComponent(key)}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const headers: Record<string, string> = { Authorization: `Bearer ${this.config.apiKey}` };
    if (body) headers["Content-Type"] = "application/json";
    const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Refused(response.status);
    return response.json();
  }
}
