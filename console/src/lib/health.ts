import type { Schemas } from "./api";
import { unit } from "./format";
import { i18n, number, numbers, t } from "./i18n.svelte";

export type Health = Schemas["Health"];

// Trouble is something that is not well, and what to do: in short, and in a section of
// docs/operating, by the name of its anchor.
export interface Trouble {
  what: string;
  act: string;
  section: string;
  row?: string; // the text of one row of the section's table; absent: the whole section
}

export const clock = (time: string) => new Date(time).toLocaleTimeString(i18n.language, { hour: "2-digit", minute: "2-digit", hour12: false });

// seconds tells a duration with its unit.
export function seconds(s: number): string {
  if (s < 1) return unit(s, "second", 1);
  if (s < 60) return unit(Math.round(s), "second");
  if (s < 3600) return unit(Math.round(s / 60), "minute");
  if (s < 172_800) return unit(Math.round(s / 3600), "hour");
  return unit(Math.round(s / 86_400), "day");
}

// bytes tells a size in the units in which it was given: 1 GiB, 2.5 MB.
export function bytes(n: number): string {
  const in1024 = ["GiB", "MiB", "KiB"].findIndex((_, i) => n >= 1024 ** (3 - i) && n % 1024 ** (3 - i) === 0);
  if (in1024 >= 0 && n % 1_000_000 !== 0) return `${number(n / 1024 ** (3 - in1024))} ${["GiB", "MiB", "KiB"][in1024]}`;
  const [unit, size] = n >= 1e9 ? ["GB", 1e9] : n >= 1e6 ? ["MB", 1e6] : n >= 1e3 ? ["kB", 1e3] : ["B", 1] as [string, number];
  return `${numbers({ maximumFractionDigits: 1, useGrouping: false }).format((n as number) / (size as number))} ${unit}`;
}

// limit tells a limit with its unit.
export function limit(of: Schemas["HealthLimit"]): string {
  switch (of.unit) {
    case "bytes":
      return bytes(of.value);
    case "s":
      return seconds(of.value);
    case "ms":
      return unit(of.value, "millisecond");
    case "per_second":
      return t("limit.perSecond", { n: of.value });
    default:
      return number(of.value);
  }
}

const recent = 5; // minutes that count as now

const sum = (minutes: Schemas["HealthMinute"][], name: "searches" | "degraded" | "failed" | "indexed" | "index_failed" | "limited") => minutes.reduce((n, m) => n + m[name], 0);

// troubles are what is not well, the worst first.
export function troubles(h: Health): Trouble[] {
  const all: Trouble[] = [];
  const now = (h.minutes ?? []).slice(-recent); // to operators alone, like all counts
  if (!h.storage.up)
    all.push({ what: h.storage.kind === "postgres" ? t("trouble.postgres") : t("trouble.database"), act: h.storage.kind === "postgres" ? t("trouble.postgresAct") : t("trouble.databaseAct"), section: "troubleshooting", row: "503 everywhere" });
  else if (!h.vector.up)
    all.push({ what: h.vector.kind === "milvus" ? t("trouble.milvus") : t("trouble.noModel"), act: h.vector.kind === "milvus" ? t("trouble.milvusAct") : t("trouble.noModelAct"), section: "troubleshooting", row: '"degraded"' });
  if (h.storage.up && h.encoder.serving !== h.encoder.configured && h.vector.up)
    all.push({ what: t("trouble.otherModel"), act: t("trouble.otherModelAct"), section: "another-model" });
  const oldest = h.queue?.oldest_s ?? 0;
  if (oldest > 300 && sum(now, "indexed") === 0)
    all.push({ what: t("trouble.stuck"), act: t("trouble.stuckAct"), section: "metrics-and-alerts", row: "MnemeQueueStuck" });
  else if (oldest > 60)
    all.push({ what: t("trouble.slowQueue"), act: t("trouble.slowQueueAct"), section: "metrics-and-alerts", row: "MnemeQueueSlow" });
  if (h.vector.reconciled && h.vector.reconciled.restored > 100)
    all.push({ what: t("trouble.restored"), act: t("trouble.restoredAct"), section: "metrics-and-alerts", row: "MnemeIndexLostEntries" });
  if (sum(now, "failed") > 0)
    all.push({ what: t("trouble.failed", { n: sum(now, "failed"), minutes: recent }), act: t("trouble.failedAct"), section: "metrics-and-alerts", row: "MnemeErrors" });
  if (h.vector.up && sum(now, "degraded") > 0)
    all.push({ what: t("trouble.degraded", { n: sum(now, "degraded"), minutes: recent }), act: t("trouble.degradedAct"), section: "metrics-and-alerts", row: "MnemeSearchesDegraded" });
  const whole = h.steps?.find((s) => s.step === "search");
  if (whole && whole.count >= 20 && whole.p99_ms > 1000)
    all.push({ what: t("trouble.slow"), act: t("trouble.slowAct"), section: "metrics-and-alerts", row: "MnemeSearchSlow" });
  if (sum(now, "limited") > 0)
    all.push({ what: t("trouble.limited", { n: sum(now, "limited"), minutes: recent }), act: t("trouble.limitedAct"), section: "requests-a-second" });
  return all;
}

// waiting says what the queue holds.
function waiting({ depth: n, oldest_s }: Schemas["HealthQueue"]): string {
  if (n === 0) return t("health.noneWait");
  return t("health.wait", { n, time: seconds(oldest_s) });
}

// sentence says how the service is: what matters first, then what else is known.
export function sentence(h: Health): [string, string] {
  if (!h.storage.up) return [t("health.storageAway"), t("health.storageAwayNote")];
  return [h.vector.up ? t("health.fine") : t("health.wordsAlone"), h.queue ? waiting(h.queue) : ""];
}

const steps = ["search", "queue", "filter", "embed", "lexical", "vector", "fetch", "rank"] as const;

// stepName is a step in the words of the other screens.
export function stepName(step: string): string {
  const known = steps.find((s) => s === step);
  return known ? t(`step.${known}`) : step;
}
