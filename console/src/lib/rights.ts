import { base } from "./base";
import { t } from "./i18n.svelte";

// Which right a refused call needs, and who can give it. The service says neither: it
// answers the same for a store that is not shared and one that does not exist.

export interface Right {
  needs: string;
  from: string;
  command: string; // that gives it; "": none does
}

// quoted is an id or a name as a shell reads it.
export const quoted = (id: string) => (/^[A-Za-z0-9._:@-]+$/.test(id) ? id : `'${id.replaceAll("'", `'\\''`)}'`);

function level(name: "search" | "read" | "readwrite", store: string, agent: string): Right {
  if (store === "self") return own(name, agent);
  return {
    needs: t("right.level", { level: name, store }),
    from: t("right.levelFrom"),
    command: `mneme share --agent ${quoted(store)} ${quoted(agent || "AGENT")} --level ${name}`,
  };
}

// own is the right on one's own store, which an agent has unless its settings say otherwise.
function own(level: string, agent: string): Right {
  return {
    needs: t("right.own", { level }),
    from: t("right.ownFrom"),
    command: `curl -X PUT '${base}/v1/agents/${encodeURIComponent(agent || "AGENT")}/settings' -H "Authorization: Bearer $TOKEN" \\\n  -H 'Content-Type: application/json' -d '{"enabled": true, "self": true, "chat": true, "user": true}'`,
  };
}

function platform(agent: string): Right {
  return {
    needs: t("right.platform"),
    from: t("right.platformFrom"),
    command: `mneme token --agent ${quoted(agent || "AGENT")} --scope platform`,
  };
}

// rightOf returns the right that a call to /v1 needs; null: this page does not know.
export function rightOf(method: string, path: string, agent: string): Right | null {
  const parts = path.replace(/^\/v1\//, "").split("/").map(decodeURIComponent);
  const [first = "", store = "", what = ""] = parts;
  switch (first) {
    case "admin":
      if (store === "keys" && method === "POST") return { needs: t("settings.keyBound"), from: "", command: "" };
      return platform(agent);
    case "chats":
    case "users":
      return platform(agent);
    case "agents":
      return { ...platform(agent), needs: t("right.agentOrPlatform", { agent: store }) };
    case "search":
      return { needs: t("right.search"), from: t("right.searchFrom"), command: `mneme share --agent STORE ${quoted(agent || "AGENT")} --level search` };
    case "offers":
      return { needs: method === "GET" ? t("right.offerRead") : t("right.offerWrite"), from: "", command: "" };
    case "stores":
      break;
    default:
      return null;
  }
  switch (what) {
    case "offers":
    case "sales":
      return store === "self" ? own("readwrite", agent) : { needs: t("right.storeAgent", { store }), from: "", command: "" };
    case "language":
      return { needs: t("right.language", { store }), from: "", command: "" };
    case "grants":
      return method === "GET" || store === "self" ? level("readwrite", store, agent) : { ...level("readwrite", store, agent), needs: t("right.grant", { store }) };
    case "trash":
    case "import":
    case "memories:batch":
      return level("readwrite", store, agent);
    case "memories": {
      const reads = method === "GET";
      const right = level(reads ? "read" : "readwrite", store, agent);
      return method === "DELETE" && store !== "self" ? { ...right, needs: t("right.delete", { store }) } : right;
    }
    default:
      return level("read", store, agent);
  }
}
