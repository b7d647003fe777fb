import type { Schemas } from "./api";

export type Health = Schemas["Health"];

// Trouble is something that is not well, and what to do. see is a section of
// docs/operating.md.
export interface Trouble {
  what: string;
  act: string;
  see: string;
}

export const clock = (time: string) => new Date(time).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false });

// seconds tells a duration with its unit.
export function seconds(s: number): string {
  if (s < 1) return `${s.toFixed(1).replace(/^0/, "") || "0"} s`;
  if (s < 60) return `${Math.round(s)} s`;
  if (s < 3600) return `${Math.round(s / 60)} min`;
  if (s < 172_800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86_400)} d`;
}

// value tells a limit with its unit.
export function limit(of: Schemas["HealthLimit"]): string {
  switch (of.unit) {
    case "bytes":
      return of.value >= 1_000_000 ? `${(of.value / 1_000_000).toFixed(1).replace(/\.0$/, "")} MB` : `${(of.value / 1000).toFixed(1).replace(/\.0$/, "")} kB`;
    case "s":
      return seconds(of.value);
    case "ms":
      return `${of.value} ms`;
    case "per_second":
      return `${of.value.toLocaleString("en")} a second`;
    default:
      return of.value.toLocaleString("en");
  }
}

const recent = 5; // minutes that count as now

const sum = (minutes: Schemas["HealthMinute"][], name: "searches" | "degraded" | "failed" | "indexed" | "index_failed" | "limited") => minutes.reduce((n, m) => n + m[name], 0);

// troubles are what is not well, the worst first.
export function troubles(h: Health): Trouble[] {
  const all: Trouble[] = [];
  const now = h.minutes.slice(-recent);
  if (!h.storage.up)
    all.push({ what: "The storage does not answer.", act: h.storage.kind === "postgres" ? "Look at PostgreSQL: is it up, is its disk full, does it have connections left? Calls succeed again when it is back." : "Look at the disk of the data folder, and at the log.", see: "Troubleshooting: 503 everywhere" });
  else if (!h.vector.up)
    all.push({ what: "Searches answer by words alone.", act: h.vector.kind === "milvus" ? "Look at Milvus, and at the log for why. Entries wait in the queue meanwhile; nothing is lost." : "No process has the model that made the vectors. Run mneme reindex, or configure that model again.", see: "Troubleshooting: degraded answers" });
  if (h.storage.up && h.encoder.serving !== h.encoder.configured && h.vector.up)
    all.push({ what: "The vectors are of another model than the configured one.", act: "Run mneme reindex. The old vectors serve until it is done.", see: "Another model" });
  if (h.queue.oldest_s > 300 && sum(now, "indexed") === 0)
    all.push({ what: "Nothing is indexed.", act: "The embedder or the vector index does not take what waits; the log names which.", see: "Metrics and alerts: MnemeQueueStuck" });
  else if (h.queue.oldest_s > 60)
    all.push({ what: "Memories are written faster than they are indexed.", act: "Wait for an import to end, add processes or cores, or use a faster embedder.", see: "Metrics and alerts: MnemeQueueSlow" });
  if (h.vector.reconciled && h.vector.reconciled.restored > 100)
    all.push({ what: "The last reconciliation restored many entries.", act: "They are repaired. Find out why Milvus lost them.", see: "Metrics and alerts: MnemeIndexLostEntries" });
  if (sum(now, "failed") > 0)
    all.push({ what: `${sum(now, "failed")} requests failed in the last ${recent} minutes.`, act: "Look at log lines of level ERROR, by request_id.", see: "Metrics and alerts: MnemeErrors" });
  if (h.vector.up && sum(now, "degraded") > 0)
    all.push({ what: `${sum(now, "degraded")} searches of the last ${recent} minutes were answered without one of their legs, or behind recent writes.`, act: "Look at the vector index, the embedder and the queue.", see: "Metrics and alerts: MnemeSearchesDegraded" });
  const whole = h.steps.find((s) => s.step === "search");
  if (whole && whole.count >= 20 && whole.p99_ms > 1000)
    all.push({ what: "One search in a hundred takes more than a second.", act: "The steps below say which part is slow.", see: "Metrics and alerts: MnemeSearchSlow" });
  if (sum(now, "limited") > 0)
    all.push({ what: `${sum(now, "limited")} requests of the last ${recent} minutes were refused by a limit.`, act: "A client takes too much, or a limit is too low.", see: "Requests a second" });
  return all;
}

// sentence says how the service is.
export function sentence(h: Health): string {
  const first = !h.storage.up ? "The storage does not answer." : !h.vector.up ? "Searches answer by words alone." : "Everything answers.";
  if (!h.storage.up) return first;
  const n = h.queue.depth;
  const queue = n === 0 ? "No memory waits for its vectors." : `${n.toLocaleString("en")} ${n === 1 ? "memory waits for its" : "memories wait for their"} vectors (${n === 1 ? "for" : "oldest"} ${seconds(h.queue.oldest_s)}).`;
  return `${first} ${queue}`;
}

// stepNames are the steps in the words of the other screens.
export const stepNames: Record<string, string> = {
  search: "whole search",
  queue: "wait for a turn",
  filter: "filter",
  embed: "embed",
  lexical: "words",
  vector: "meaning",
  fetch: "rows",
  rank: "rank, within rows",
};
