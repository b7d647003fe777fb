// Who the visitor is: a token, kept in memory, or in the tab's session storage if
// the visitor chooses so. The console has no rights of its own.

export interface Claims {
  agent: string;
  taint: string;
  scopes: string[];
  id: string; // by which it is listed and revoked; "": it has none
  expires: number | null; // seconds since 1970; null: an API key, or not told
}

const kept = "mneme.token";

class Session {
  token = $state<string | null>(null);
  claims = $state<Claims | null>(null);
  now = $state(Date.now());

  // left is the time until the token expires, in seconds; null if it does not say.
  left = $derived(this.claims?.expires == null ? null : Math.floor(this.claims.expires - this.now / 1000));

  constructor() {
    setInterval(() => (this.now = Date.now()), 1000);
    const stored = sessionStorage.getItem(kept);
    if (stored) this.set(stored, true);
  }

  set(token: string, keep: boolean) {
    token = bare(token);
    this.token = token;
    this.claims = claimsOf(token);
    if (keep) sessionStorage.setItem(kept, token);
    else sessionStorage.removeItem(kept);
  }

  get keeps() {
    return sessionStorage.getItem(kept) !== null;
  }

  // named sets the agent of an API key, which says nothing of itself.
  named(agent: string) {
    if (this.claims) this.claims = { ...this.claims, agent };
  }

  end() {
    this.token = null;
    this.claims = null;
    sessionStorage.removeItem(kept);
  }
}

// bare returns a pasted token without surrounding text copied with it.
export function bare(text: string) {
  return text.trim().replace(/^Bearer\s+/i, "");
}

// claimsOf decodes a token's claims, to show them. The service verifies them.
export function claimsOf(token: string): Claims {
  const unknown = { agent: "", taint: "", scopes: [], id: /^mneme_([0-9a-f]+)_/.exec(token)?.[1] ?? "", expires: null };
  const payload = token.split(".")[1];
  if (!payload) return unknown;
  try {
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    return {
      agent: typeof claims.sub === "string" ? claims.sub : "",
      taint: typeof claims.taint === "string" ? claims.taint : "PUBLIC",
      scopes: typeof claims.scope === "string" ? claims.scope.split(" ").filter(Boolean) : [],
      id: typeof claims.jti === "string" ? claims.jti : "",
      expires: typeof claims.exp === "number" ? claims.exp : null,
    };
  } catch {
    return unknown;
  }
}

export const session = new Session();
