// The namespaces of a store, and the parts that its keys begin with. No call lists them:
// each is found as the first entry behind the one before, so that what is told is whole
// as far as it goes, however many entries each has.

import { api, done } from "./api";

const most = 200;

async function firstOf(store: string, query: { namespace?: string; prefix?: string }, after: object | null) {
  const { data } = await done(
    api.GET("/v1/stores/{store}/memories", { params: { path: { store }, query: { limit: 1, ...query, ...(after ? { where: JSON.stringify(after) } : {}) } } }),
  );
  return data.items[0];
}

// eachNamespace calls found for each namespace, in order, until stopped says so. It
// returns whether these are all.
export async function eachNamespace(store: string, found: (namespace: string) => void, stopped: () => boolean): Promise<boolean> {
  let after: object | null = null;
  for (let i = 0; i < most; i++) {
    const entry = await firstOf(store, {}, after);
    if (stopped()) return false;
    if (!entry) return true;
    found(entry.namespace);
    after = { namespace: { gt: entry.namespace } };
  }
  return false;
}

// eachFolder calls found for each beginning up to a "/" of the keys of a namespace that
// begin with prefix, in order. Keys that end there are passed over. It returns whether
// these are all.
export async function eachFolder(store: string, namespace: string, prefix: string, found: (folder: string) => void, stopped: () => boolean): Promise<boolean> {
  let after: object | null = null;
  for (let i = 0; i < most; i++) {
    const entry = await firstOf(store, { namespace, ...(prefix ? { prefix } : {}) }, after);
    if (stopped()) return false;
    if (!entry) return true;
    const cut = entry.key.indexOf("/", prefix.length);
    if (cut < 0) {
      after = { key: { gt: entry.key } };
      continue;
    }
    found(entry.key.slice(0, cut + 1));
    after = { key: { gte: `${entry.key.slice(0, cut)}0` } }; // "0" follows "/"
  }
  return false;
}
