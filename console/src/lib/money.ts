import type { Schemas } from "./api";
import { i18n, numbers, t } from "./i18n.svelte";

export type Terms = Schemas["Terms"];

// credits tells an amount of micros in credits, without trailing zeros.
export function credits(micros: number): string {
  const text = numbers({ maximumFractionDigits: 6, useGrouping: false, signDisplay: "negative" }).format(micros / 1e6).replace("-", "−");
  return i18n.language === "en" ? text.replace(/^(−?)0\./, "$1.") : text;
}

// priceOf is what a search costs that finds so many memories which the buyer has not
// bought, when it has been shown others before. The price of each is rounded down.
export function priceOf(terms: Terms, found: number, shown: number): number {
  let sum = terms.price_search;
  for (let i = 0; i < found; i++) sum += entryPrice(terms, shown + i);
  return sum;
}

function entryPrice(terms: Terms, shown: number) {
  return Math.floor((terms.price_entry * (100 + terms.novelty_percent * Math.floor(shown / 100))) / 100);
}

// copyPrice is the least that one buyer pays for so many memories, if every answer is
// full of what it has not bought.
export function copyPrice(terms: Terms, entries: number): number {
  const searches = Math.ceil(entries / terms.max_hits);
  let sum = searches * terms.price_search;
  for (let i = 0; i < entries; i++) sum += entryPrice(terms, i);
  return sum;
}

// curve has the price of an entry by the share of a store that was shown.
export function curve(terms: Terms, entries: number): { share: number; price: number }[] {
  return Array.from({ length: 21 }, (_, i) => ({ share: i / 20, price: entryPrice(terms, Math.floor((i / 20) * entries)) }));
}

export interface CheckedReceipt {
  valid: boolean;
  why: () => string;
  claims: Record<string, unknown>;
}

const bytes = (text: string) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));

// keysOf reads a JSON Web Key Set; null: it is none.
export function keysOf(text: string): Schemas["ReceiptKey"][] | null {
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown };
    return Array.isArray(keys) && keys.length > 0 ? (keys as Schemas["ReceiptKey"][]) : null;
  } catch {
    return null;
  }
}

// checkReceipt verifies the signature of a receipt by the keys of a service. signer says
// whose they are.
export async function checkReceipt(text: string, keys: Schemas["ReceiptKey"][], signer: "here" | "pasted"): Promise<CheckedReceipt> {
  const [header, payload, signature, more] = text.trim().split(".");
  const bad = (why: () => string, claims = {}) => ({ valid: false, why, claims });
  if (!header || !payload || !signature || more !== undefined) return bad(() => t("receipt.none"));
  try {
    const read = (part: string) => JSON.parse(new TextDecoder().decode(bytes(part))) as Record<string, unknown>;
    const named = read(header);
    const claims = read(payload);
    if (named.alg !== "EdDSA" || named.typ !== "mneme-receipt") return bad(() => t("receipt.notSearch"), claims);
    const key = keys.find((k) => k?.kid === named.kid);
    if (!key) return bad(() => (signer === "here" ? t("receipt.noKey") : t("receipt.noKeyPasted")), claims);
    const imported = await crypto.subtle.importKey("jwk", { kty: key.kty, crv: key.crv, x: key.x }, { name: "Ed25519" }, false, ["verify"]);
    const signed = new TextEncoder().encode(`${header}.${payload}`);
    const valid = await crypto.subtle.verify({ name: "Ed25519" }, imported, bytes(signature), signed);
    return valid ? { valid, why: () => (signer === "here" ? t("receipt.signed") : t("receipt.signedPasted")), claims } : bad(() => t("receipt.wrong"), claims);
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === "NotSupportedError") return bad(() => t("receipt.noEd25519"));
    return bad(() => t("receipt.none"));
  }
}
