import type { Schemas } from "./api";

export type Health = Schemas["Health"];

// Trouble is something that is not well, and what to do: in short, and in a section of
// docs/operating.md, by the name of its anchor.
export interface Trouble {
  what: string;
  act: string;
  section: string;
  row?: string; // the text of one row of the section's table; absent: the whole section
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

// bytes tells a size in the units in which it was given: 1 GiB, 2.5 MB.
export function bytes(n: number): string {
  const in1024 = ["GiB", "MiB", "KiB"].findIndex((_, i) => n >= 1024 ** (3 - i) && n % 1024 ** (3 - i) === 0);
  if (in1024 >= 0 && n % 1_000_000 !== 0) return `${(n / 1024 ** (3 - in1024)).toLocaleString("en")} ${["GiB", "MiB", "KiB"][in1024]}`;
  const [unit, size] = n >= 1e9 ? ["GB", 1e9] : n >= 1e6 ? ["MB", 1e6] : n >= 1e3 ? ["kB", 1e3] : ["B", 1] as [string, number];
  return `${((n as number) / (size as number)).toFixed(1).replace(/\.0$/, "")} ${unit}`;
}

// limit tells a limit with its unit.
export function limit(of: Schemas["HealthLimit"]): string {
  switch (of.unit) {
    case "bytes":
      return bytes(of.value);
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

const many = (n: number, one: string, more = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;

const recent = 5; // minutes that count as now

const sum = (minutes: Schemas["HealthMinute"][], name: "searches" | "degraded" | "failed" | "indexed" | "index_failed" | "limited") => minutes.reduce((n, m) => n + m[name], 0);

// troubles are what is not well, the worst first.
export function troubles(h: Health): Trouble[] {
  const all: Trouble[] = [];
  const now = (h.minutes ?? []).slice(-recent); // to operators alone, like all counts
  if (!h.storage.up)
    all.push({ what: h.storage.kind === "postgres" ? "PostgreSQL does not answer." : "The database cannot be read.", act: h.storage.kind === "postgres" ? "Is it up, is its disk full, does it have connections left? Calls succeed again when it is back, without a restart." : "Look at the disk of the data folder, and at the log.", section: "troubleshooting", row: "503 everywhere" });
  else if (!h.vector.up)
    all.push({ what: h.vector.kind === "milvus" ? "Milvus does not answer." : "No model serves vector searches.", act: h.vector.kind === "milvus" ? "Is it up, and has it finished starting? The log says why it cannot be used. Entries wait in the queue meanwhile; nothing is lost." : "None of the processes has the model that made the vectors. Run mneme reindex, or configure that model again.", section: "troubleshooting", row: '"degraded"' });
  if (h.storage.up && h.encoder.serving !== h.encoder.configured && h.vector.up)
    all.push({ what: "The vectors are of another model than the configured one.", act: "Run mneme reindex. The old vectors serve until it is done.", section: "another-model" });
  const oldest = h.queue?.oldest_s ?? 0;
  if (oldest > 300 && sum(now, "indexed") === 0)
    all.push({ what: "Nothing is indexed.", act: "The embedder or the vector index does not take what waits; the log names which.", section: "metrics-and-alerts", row: "MnemeQueueStuck" });
  else if (oldest > 60)
    all.push({ what: "Memories are written faster than they are indexed.", act: "Wait for an import to end, add processes or cores, or use a faster embedder.", section: "metrics-and-alerts", row: "MnemeQueueSlow" });
  if (h.vector.reconciled && h.vector.reconciled.restored > 100)
    all.push({ what: "The last reconciliation restored many entries.", act: "They are repaired. Find out why Milvus lost them.", section: "metrics-and-alerts", row: "MnemeIndexLostEntries" });
  if (sum(now, "failed") > 0)
    all.push({ what: `${many(sum(now, "failed"), "request")} failed in the last ${recent} minutes.`, act: "Look at log lines of level ERROR, by request_id.", section: "metrics-and-alerts", row: "MnemeErrors" });
  if (h.vector.up && sum(now, "degraded") > 0)
    all.push({ what: `${many(sum(now, "degraded"), "search", "searches")} of the last ${recent} minutes ${sum(now, "degraded") === 1 ? "was" : "were"} answered without one of their legs, or behind recent writes.`, act: "Look at the vector index, the embedder and the queue.", section: "metrics-and-alerts", row: "MnemeSearchesDegraded" });
  const whole = h.steps?.find((s) => s.step === "search");
  if (whole && whole.count >= 20 && whole.p99_ms > 1000)
    all.push({ what: "One search in a hundred takes more than a second.", act: "The steps below say which part is slow.", section: "metrics-and-alerts", row: "MnemeSearchSlow" });
  if (sum(now, "limited") > 0)
    all.push({ what: `${many(sum(now, "limited"), "request")} of the last ${recent} minutes ${sum(now, "limited") === 1 ? "was" : "were"} refused by a limit.`, act: "A client takes too much, or a limit is too low.", section: "requests-a-second" });
  return all;
}

// waiting says what the queue holds.
function waiting({ depth: n, oldest_s }: Schemas["HealthQueue"]): string {
  if (n === 0) return "No memory waits for its vectors.";
  return `${n.toLocaleString("en")} ${n === 1 ? "memory waits for its" : "memories wait for their"} vectors (${n === 1 ? "for" : "oldest"} ${seconds(oldest_s)}).`;
}

// sentence says how the service is: what matters first, then what else is known.
export function sentence(h: Health): [string, string] {
  if (!h.storage.up) return ["The storage does not answer.", "Until it does, calls are refused with 503. What was acknowledged is kept."];
  return [h.vector.up ? "Everything answers." : "Searches answer by words alone.", h.queue ? waiting(h.queue) : ""];
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
