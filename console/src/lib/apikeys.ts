import type { Label, Schemas } from "./api";
import { quoted } from "./rights";

// A key that is to be made.
export interface Wanted {
  agent: string; // "": it is not known yet
  user: string;
  name: string;
  taint: Label;
  scopes: Schemas["Scope"][];
  days: number; // 0: it does not end
}

export const scopes: Schemas["Scope"][] = ["platform", "share", "spend"];

// commandOf is the command that makes a key on the machine of the server.
export function commandOf(key: Wanted): string {
  return [
    "mneme token --api-key",
    `--agent ${quoted(key.agent || "AGENT")}`,
    ...(key.taint === "PUBLIC" ? [] : [`--taint ${key.taint}`]),
    ...(key.scopes.length > 0 ? [`--scope ${quoted(key.scopes.join(" "))}`] : []),
    ...(key.user ? [`--user ${quoted(key.user)}`] : []),
    ...(key.name ? [`--name ${quoted(key.name)}`] : []),
    ...(key.days > 0 ? [`--ttl ${Math.max(1, Math.round(key.days * 24))}h`] : []),
  ].join(" ");
}
