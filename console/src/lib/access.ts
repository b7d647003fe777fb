import type { Schemas } from "./api";
import { exact } from "./format";
import { t } from "./i18n.svelte";

// via describes the source of a level on a store.
export const via = (kind: Schemas["StoreInfo"]["kind"]) => t(`via.${kind}`);

type Shared = Pick<Schemas["Grant"], "level"> & Partial<Pick<Schemas["Grant"], "caps" | "terms">>;

// allows describes an agent's rights under a grant in a sentence.
export function allows(agent: string, grant: Shared): string {
  switch (grant.level) {
    case "search": {
      const terms = grant.terms;
      return terms
        ? t("allows.bought", { agent, hits: terms.max_hits, searches: terms.searches_per_day, entries: terms.entries_per_day, total: terms.entries_total })
        : t("allows.search", { agent, searches: grant.caps?.searches_per_hour ?? 600, entries: grant.caps?.entries_per_day ?? 500 });
    }
    case "read":
      return t("allows.read", { agent });
    case "readwrite":
      return t("allows.readwrite", { agent });
    default:
      return t("allows.nothing", { agent });
  }
}

// from describes the source of a grant.
export function from(grant: { offer?: string | undefined; by_platform?: boolean | undefined; maker: string }) {
  const { maker } = grant;
  if (grant.offer) return grant.by_platform ? t("from.offerPlatform", { maker }) : t("from.offer", { maker });
  return grant.by_platform ? t("from.grantPlatform", { maker }) : t("from.grant", { maker });
}

// chainOf returns, link by link, the source of the visitor's own level on a store. Grants are
// the store's grants visible to the visitor; undefined: it may not list them.
export function chainOf(store: Schemas["StoreInfo"], me: string, grants: Schemas["Grant"][] | undefined): string[] {
  switch (store.kind) {
    case "self":
      return [t("chain.self")];
    case "chat":
      return [t("chain.chat")];
    case "user":
      return [t("chain.user")];
  }
  const chain: string[] = [];
  let agent = me;
  for (let links = 0; links < 8; links++) {
    const grant = grants?.find((g) => g.grantee === agent);
    if (!grant) break;
    const link = { level: grant.level, from: from(grant), agent };
    const until = grant.expires_at ? exact(grant.expires_at) : "";
    if (agent === me) chain.push(until ? t("chain.mineUntil", { ...link, until }) : t("chain.mine", link));
    else chain.push(until ? t("chain.theirsUntil", { ...link, until }) : t("chain.theirs", link));
    if (grant.by_platform || grant.maker === agent) return chain;
    agent = grant.maker;
  }
  if (agent === store.store_id) return [...chain, t("chain.owner", { agent })];
  if (chain.length > 0) return [...chain, t("chain.member", { agent })];
  return [store.expires_at ? t("chain.untoldUntil", { until: exact(store.expires_at) }) : t("chain.untold")];
}
