import type { Schemas } from "./api";

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
