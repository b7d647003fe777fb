import type { Estimate, SetReport, Shown } from "./report";

// Side is one run of one report, one side of a comparison.
export interface Side {
  set: SetReport;
  run: string;
  name: string; // as it is shown
}

// Pair is a question with its nDCG@10 on two sides.
export interface Pair {
  query: string;
  a: number;
  b: number;
}

// pairs are the questions that both sides have, with what each side has alone.
export function pairs(a: Side, b: Side): { both: Pair[]; onlyA: number; onlyB: number } {
  const [ofA, ofB] = [scores(a), scores(b)];
  const both: Pair[] = [];
  for (const [query, score] of ofA) {
    const other = ofB.get(query);
    if (other !== undefined) both.push({ query, a: score, b: other });
  }
  return { both, onlyA: ofA.size - both.length, onlyB: ofB.size - both.length };
}

function scores(side: Side): Map<string, number> {
  const i = side.set.runs.findIndex((r) => r.name === side.run);
  return new Map(i < 0 ? [] : side.set.each.map((e) => [e.query, e.ndcg_10[i]!]));
}

// same is the difference of nDCG@10 that rounding makes.
export const same = 1e-9;

// Ranking is what a report holds of one run's answer to one question.
export interface Ranking {
  top: Shown[];
  expected: Map<string, number>; // rank by document; 0: not found
}

// Told holds a report's questions with shown answers.
export interface Told {
  texts: Map<string, string>;
  expected: Map<string, Shown[]>;
  rankings: Map<string, Map<string, Ranking>>; // by question and run
}

const known = new WeakMap<SetReport, Told>();

// told collects the questions shown in a set's report.
export function told(set: SetReport): Told {
  const before = known.get(set);
  if (before) return before;
  const all: Told = { texts: new Map(), expected: new Map(), rankings: new Map() };
  for (const changes of set.changes) {
    for (const c of [...changes.wins, ...changes.losses]) {
      all.texts.set(c.query, c.text);
      all.expected.set(c.query, c.expected);
      const of = all.rankings.get(c.query) ?? new Map<string, Ranking>();
      of.set(changes.a, { top: c.top_a, expected: new Map(c.expected.map((e) => [e.id, e.rank_a])) });
      of.set(changes.b, { top: c.top_b, expected: new Map(c.expected.map((e) => [e.id, e.rank_b])) });
      all.rankings.set(c.query, of);
    }
  }
  known.set(set, all);
  return all;
}

// difference is the mean of b − a with its 95 % interval: percentiles of a paired
// bootstrap over the questions, as the benchmark has it. The same pairs give the same.
export function difference(both: Pair[]): Estimate | null {
  if (both.length === 0) return null;
  const d = Float64Array.from(both, (p) => p.b - p.a);
  const mean = d.reduce((sum, v) => sum + v, 0) / d.length;
  const samples = Math.max(200, Math.min(2000, Math.floor(4_000_000 / d.length)));
  const next = xorshift(1);
  const means = new Float64Array(samples);
  for (let s = 0; s < samples; s++) {
    let sum = 0;
    for (let i = 0; i < d.length; i++) sum += d[next() % d.length]!;
    means[s] = sum / d.length;
  }
  means.sort();
  return { mean, low: means[Math.floor(0.025 * samples)]!, high: means[Math.ceil(0.975 * samples) - 1]! };
}

// xorshift is Marsaglia's generator of 32 bits.
function xorshift(seed: number) {
  let x = seed * 2654435761 + 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
}
