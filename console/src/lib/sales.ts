import type { Schemas } from "./api";

const day = 86_400_000; // milliseconds
const least = 14; // days
const most = 366;

// daysOf returns a row for each day up to today, in UTC, from the first sale on: those
// without sales too, two weeks at least and a year at most.
export function daysOf(rows: Schemas["SalesRow"][], now: number): (Schemas["SalesRow"] & { day: string })[] {
  const known = new Map(rows.map((r) => [r.day, r]));
  const today = Math.floor(now / day);
  const first = Math.floor(Date.parse(rows[0]?.day ?? "") / day);
  const count = Math.min(most, Math.max(least, Number.isFinite(first) ? today - first + 1 : 0));
  return Array.from({ length: count }, (_, i) => {
    const name = new Date((today - count + 1 + i) * day).toISOString().slice(0, 10);
    return { searches: 0, hits: 0, entries: 0, share: 0, income: 0, ...known.get(name), day: name };
  });
}
