import type { Schemas } from "./api";
import { exact } from "./format";

// via says where a level on a store comes from.
export const via: Record<Schemas["StoreInfo"]["kind"], string> = {
  self: "your own",
  grant: "by a grant",
  chat: "of this chat",
  user: "of this user",
};

type Shared = Pick<Schemas["Grant"], "level"> & Partial<Pick<Schemas["Grant"], "caps" | "terms">>;

// allows says in words what a grant allows.
export function allows(grant: Shared): string {
  switch (grant.level) {
    case "search": {
      const terms = grant.terms;
      const bounds = terms
        ? `at most ${terms.max_hits} hits an answer, ${terms.searches_per_day} searches and ${terms.entries_per_day} new memories a day, ${terms.entries_total} in all, for money`
        : `at most 10 hits an answer, ${grant.caps?.searches_per_hour ?? 600} searches an hour, ${grant.caps?.entries_per_day ?? 500} new memories a day`;
      return `can search: ${bounds}. It cannot list or open.`;
    }
    case "read":
      return "can search, list, open and export, with history. It cannot change anything.";
    case "readwrite":
      return "can search, list, open, write, rename and share. It deletes its own entries alone.";
    default:
      return "can do nothing.";
  }
}

// chainOf tells link by link where the visitor's own level on a store comes from. Grants
// of the store are those that the visitor may see; undefined: none are told to it.
export function chainOf(store: Schemas["StoreInfo"], me: string, grants: Schemas["Grant"][] | undefined): string[] {
  switch (store.kind) {
    case "self":
      return ["own: this is your store, and nobody can end that"];
    case "chat":
      return ["chat: you take part in this chat now, and it lasts as long as you do"];
    case "user":
      return ["user: you serve this user now, and it lasts as long as the session"];
  }
  const chain: string[] = [];
  let agent = me;
  for (let links = 0; links < 8; links++) {
    const grant = grants?.find((g) => g.grantee === agent);
    if (!grant) break;
    const made = `${grant.offer ? "an offer" : "a grant"} by ${grant.maker}${grant.by_platform ? " (platform)" : ""}${grant.expires_at ? ` until ${exact(grant.expires_at)}` : ""}`;
    chain.push(agent === me ? `${grant.level} by ${made}` : `${agent} has ${grant.level} by ${made}`);
    if (grant.by_platform || grant.maker === agent) return chain;
    agent = grant.maker;
  }
  if (agent === store.store_id) return [...chain, `${agent} is the store's own agent`];
  if (chain.length > 0) return [...chain, `${agent} has its level as one of the store's chat or user`];
  return [`grant${store.expires_at ? ` until ${exact(store.expires_at)}` : ""}: who made it is told to those with readwrite on the store`];
}
