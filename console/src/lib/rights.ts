// Which right a refused call needs, and who can give it. The service says neither: it
// answers the same for a store that is not shared and one that does not exist.

export interface Right {
  needs: string;
  from: string;
  command: string; // that gives it; "": none does
}

const quoted = (id: string) => (/^[A-Za-z0-9._:@-]+$/.test(id) ? id : `'${id.replaceAll("'", `'\\''`)}'`);

function level(name: "search" | "read" | "readwrite", store: string, agent: string): Right {
  if (store === "self") return own(name, agent);
  return {
    needs: `It needs the level ${name} on the store ${store}.`,
    from: "If it was shared, the grant may have ended. Its own agent, or anyone with readwrite on it, shares it with:",
    command: `mneme share --agent ${quoted(store)} ${quoted(agent || "AGENT")} --level ${name}`,
  };
}

// own is the right on one's own store, which an agent has unless its settings say otherwise.
function own(level: string, agent: string): Right {
  return {
    needs: `It needs the level ${level} on your own store, which the settings of the agent may have switched off.`,
    from: "The agent itself, or a platform token, changes them; this switches all its stores on:",
    command: `curl -X PUT '${location.origin}/v1/agents/${encodeURIComponent(agent || "AGENT")}/settings' -H "Authorization: Bearer $TOKEN" \\\n  -H 'Content-Type: application/json' -d '{"enabled": true, "self": true, "chat": true, "user": true}'`,
  };
}

function platform(agent: string): Right {
  return {
    needs: "It needs the scope platform.",
    from: "Whoever runs the service makes tokens with it:",
    command: `mneme token --agent ${quoted(agent || "AGENT")} --scope platform`,
  };
}

// rightOf returns the right that a call to /v1 needs; null: this page does not know.
export function rightOf(method: string, path: string, agent: string): Right | null {
  const parts = path.replace(/^\/v1\//, "").split("/").map(decodeURIComponent);
  const [first = "", store = "", what = ""] = parts;
  switch (first) {
    case "admin":
    case "chats":
    case "users":
      return platform(agent);
    case "agents":
      return { ...platform(agent), needs: `It needs to be ${store}, or the scope platform.` };
    case "search":
      return { needs: "It needs the level search on each store that it names, and the level read where it filters, sorts or explains.", from: "The agent of a store, or anyone with readwrite on it, shares it with:", command: `mneme share --agent STORE ${quoted(agent || "AGENT")} --level search` };
    case "offers":
      return { needs: method === "GET" ? "It needs a taint that reaches the offer." : "It needs to be the agent that made the offer, in a session that reaches its label.", from: "", command: "" };
    case "stores":
      break;
    default:
      return null;
  }
  switch (what) {
    case "offers":
    case "sales":
      return store === "self" ? own("readwrite", agent) : { needs: `It needs to be the agent of the store, ${store}.`, from: "", command: "" };
    case "language":
      return { needs: `It needs the level readwrite on the store ${store}, and not by a grant, or the scope platform.`, from: "", command: "" };
    case "grants":
      return method === "GET" || store === "self" ? level("readwrite", store, agent) : { ...level("readwrite", store, agent), needs: `It needs the level readwrite on the store ${store}, and a grant that you made; its own agent changes those of others too. Nobody gives more than it has, and while an offer stands its own agent alone shares.` };
    case "trash":
    case "import":
    case "memories:batch":
      return level("readwrite", store, agent);
    case "memories": {
      const reads = method === "GET";
      const right = level(reads ? "read" : "readwrite", store, agent);
      return method === "DELETE" && store !== "self" ? { ...right, needs: `It needs the level readwrite on the store ${store}, and a memory that you wrote first: others are deleted by their owner, or by the store's own agent.` } : right;
    }
    default:
      return level("read", store, agent);
  }
}
