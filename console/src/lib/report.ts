// Reports of `mneme bench relevance --json`. A report is a file of the visitor's and is
// read in the page: every part of it is checked before it is shown.

import type { Plain } from "../i18n/messages";
import { read, type Text } from "./api";
import { decimal } from "./format";
import { t } from "./i18n.svelte";

export interface Estimate {
  mean: number;
  low: number; // 95 % interval
  high: number;
}

export interface Difference extends Estimate {
  p: number;
}

export const measures = [
  ["ndcg_10", "nDCG@10"],
  ["recall_5", "recall@5"],
  ["recall_10", "recall@10"],
  ["recall_100", "recall@100"],
  ["recall_all_10", "all@10"],
  ["mrr_10", "MRR@10"],
  ["map", "MAP"],
] as const;

export type Measure = (typeof measures)[number][0];
export type Metrics = Record<Measure, number>;

export interface Leg {
  name: string;
  imported?: boolean; // another system's run
  metrics: Metrics;
  intervals: Partial<Record<Measure, Estimate>>;
}

export interface Comparison {
  a: string;
  b: string;
  measures: Partial<Record<Measure, Difference>>;
  wins: number;
  losses: number;
  ties: number;
}

export interface Slice {
  field: string;
  value: string;
  queries: number;
  runs: { name: string; metrics: Metrics; ndcg_10_interval: Estimate }[];
}

export interface Shown {
  id: string;
  text: string; // its beginning
  grade: number; // its judgement; 0: not relevant, or not judged
}

export interface Change {
  query: string;
  text: string;
  a: number; // nDCG@10
  b: number;
  expected: (Shown & { rank_a: number; rank_b: number })[]; // rank 0: not found
  top_a: Shown[];
  top_b: Shown[];
}

export interface Changes {
  a: string;
  b: string;
  wins: Change[];
  losses: Change[];
}

export interface Point {
  threshold: number;
  kept_any: number;
  kept_relevant: number;
  empty: number;
}

export interface Nothing {
  kind: string;
  answerable: number;
  found: number;
  unanswerable: number;
  auc: number;
  curve: Point[];
  at_95: Point;
  at_95_relevant: Point;
}

export interface Reliability {
  bins: { low: number; high: number; count: number; predicted: number; observed: number }[];
  count: number;
  ece: number;
  brier: number;
}

export interface SetReport {
  name: string;
  documents: number;
  stores: number;
  queries: number;
  runs: Leg[];
  comparisons: Comparison[];
  slices: Slice[];
  changes: Changes[];
  each: { query: string; ndcg_10: number[] }[]; // in the order of runs
  reliability: Reliability | null;
  nothing: Nothing[];
}

export interface Report {
  file: string;
  bytes: number;
  embedder: string;
  backend: string;
  seed: number;
  sets: SetReport[];
}

// Refused is the reason why a file is not a report.
export class Refused extends Error {
  constructor(
    readonly file: string,
    private readonly reason: Text,
    private readonly hint: Text,
  ) {
    super(read(reason));
  }

  get why() {
    return read(this.reason);
  }

  get advice() {
    return read(this.hint);
  }
}

const maxBytes = 128 * 1024 * 1024; // a report of 100,000 questions has some 20 MB

// open reads a file. It throws Refused.
export async function open(file: File): Promise<Report> {
  if (file.size > maxBytes) throw new Refused(file.name, () => t("report.large", { n: Math.round(file.size / 1048576) }), () => t("report.largeAct"));
  let text;
  try {
    text = await file.text();
  } catch {
    throw new Refused(file.name, () => t("report.unread"), () => t("report.unreadAct"));
  }
  return parse(file.name, text);
}

// parse reads the text of a file. It throws Refused.
export function parse(name: string, text: string): Report {
  const refuse = (why: Plain, advice: Plain) => new Refused(name, () => t(why), () => t(advice));
  const start = text.slice(0, 1000).trimStart();
  if (start === "") throw refuse("report.empty", "report.emptyAct");
  if (/^<(!doctype|html)/i.test(start)) throw refuse("report.page", "report.pageAct");
  if (/^\S+ Q0 \S+ \d+ /.test(start)) throw refuse("report.trec", "report.trecAct");
  if (/^query-id\t/.test(start)) throw refuse("report.qrels", "report.qrelsAct");
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (thrown) {
    const at = Number(/position (\d+)/.exec(String(thrown))?.[1] ?? NaN);
    if (at >= text.trimEnd().length || /end of (JSON )?(input|data)|Unterminated/i.test(String(thrown))) throw refuse("report.brokenOff", "report.brokenOffAct");
    const line = Number.isNaN(at) ? null : text.slice(0, at).split("\n").length;
    const advice: Plain = start.startsWith("{") && text.includes("}\n{") ? "report.lines" : "report.again";
    throw new Refused(name, () => (line === null ? t("report.notJSON") : t("report.notJSONFrom", { line })), () => t(advice));
  }
  try {
    return { ...report(root), file: name, bytes: text.length };
  } catch (thrown) {
    if (!(thrown instanceof Wrong)) throw thrown;
    const other = thrown.path === "" || thrown.path === "sets";
    if (other) throw refuse("report.other", "report.otherAct");
    throw new Refused(name, () => t("report.notWhole", { what: thrown.said() }), () => t("report.notWholeAct"));
  }
}

// Wrong is a part of a file that is not what it should be.
class Wrong extends Error {
  constructor(
    readonly path: string,
    readonly is: "notObject" | "notText" | "notNumber" | "notList" | { numbers: number; runs: number },
  ) {
    super(path);
  }

  // said describes the part and its error.
  said() {
    const { path, is } = this;
    return typeof is === "string" ? t(`report.${is}`, { path }) : t("report.numbers", { path, ...is });
  }
}

type Object = Record<string, unknown>;

function object(value: unknown, path: string): Object {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Wrong(path, "notObject");
  return value as Object;
}

const at = (path: string, name: string) => (path === "" ? name : `${path}.${name}`);

function text(from: Object, name: string, path: string): string {
  const value = from[name];
  if (typeof value !== "string") throw new Wrong(at(path, name), "notText");
  return value;
}

function number(from: Object, name: string, path: string): number {
  const value = from[name];
  if (typeof value !== "number") throw new Wrong(at(path, name), "notNumber");
  return value;
}

// list reads a list; one that is absent or null is empty unless it is needed.
function list<T>(from: Object, name: string, path: string, read: (value: unknown, path: string) => T, needed = false): T[] {
  const value = from[name];
  if (!needed && (value === undefined || value === null)) return [];
  if (!Array.isArray(value)) throw new Wrong(at(path, name), "notList");
  return value.map((one, i) => read(one, `${at(path, name)}[${i}]`));
}

function estimate(value: unknown, path: string): Estimate {
  const from = object(value, path);
  return { mean: number(from, "mean", path), low: number(from, "low", path), high: number(from, "high", path) };
}

function metrics(value: unknown, path: string): Metrics {
  const from = object(value, path);
  return Object.fromEntries(measures.map(([key]) => [key, number(from, key, path)])) as Metrics;
}

// byMeasure reads the values of each measure.
function byMeasure<T>(value: unknown, path: string, read: (value: unknown, path: string) => T): Partial<Record<Measure, T>> {
  const from = object(value, path);
  return Object.fromEntries(measures.filter(([key]) => key in from).map(([key]) => [key, read(from[key], at(path, key))])) as Partial<Record<Measure, T>>;
}

function shown(value: unknown, path: string): Shown {
  const from = object(value, path);
  return { id: text(from, "id", path), text: text(from, "text", path), grade: number(from, "grade", path) };
}

function change(value: unknown, path: string): Change {
  const from = object(value, path);
  return {
    query: text(from, "query", path),
    text: text(from, "text", path),
    a: number(from, "a", path),
    b: number(from, "b", path),
    expected: list(from, "expected", path, (one, p) => ({ ...shown(one, p), rank_a: number(one as Object, "rank_a", p), rank_b: number(one as Object, "rank_b", p) })),
    top_a: list(from, "top_a", path, shown),
    top_b: list(from, "top_b", path, shown),
  };
}

function point(value: unknown, path: string): Point {
  const from = object(value, path);
  return { threshold: number(from, "threshold", path), kept_any: number(from, "kept_any", path), kept_relevant: number(from, "kept_relevant", path), empty: number(from, "empty", path) };
}

function nothing(value: unknown, path: string): Nothing {
  const from = object(value, path);
  return {
    kind: text(from, "kind", path),
    answerable: number(from, "answerable", path),
    found: number(from, "found", path),
    unanswerable: number(from, "unanswerable", path),
    auc: number(from, "auc", path),
    curve: list(from, "curve", path, point),
    at_95: point(from.at_95, at(path, "at_95")),
    at_95_relevant: point(from.at_95_relevant, at(path, "at_95_relevant")),
  };
}

function reliability(value: unknown, path: string): Reliability {
  const from = object(value, path);
  return {
    bins: list(from, "bins", path, (one, p) => {
      const bin = object(one, p);
      return { low: number(bin, "low", p), high: number(bin, "high", p), count: number(bin, "count", p), predicted: number(bin, "predicted", p), observed: number(bin, "observed", p) };
    }),
    count: number(from, "count", path),
    ece: number(from, "ece", path),
    brier: number(from, "brier", path),
  };
}

function set(value: unknown, path: string): SetReport {
  const from = object(value, path);
  const runs = list(
    from,
    "runs",
    path,
    (one, p): Leg => {
      const run = object(one, p);
      return { name: text(run, "name", p), imported: run.imported === true, metrics: metrics(run.metrics, at(p, "metrics")), intervals: byMeasure(run.intervals, at(p, "intervals"), estimate) };
    },
    true,
  );
  return {
    name: text(from, "name", path),
    documents: number(from, "documents", path),
    stores: number(from, "stores", path),
    queries: number(from, "queries", path),
    runs,
    comparisons: list(from, "comparisons", path, (one, p) => {
      const c = object(one, p);
      const difference = (value: unknown, p: string): Difference => ({ ...estimate(value, p), p: number(value as Object, "p", p) });
      return { a: text(c, "a", p), b: text(c, "b", p), measures: byMeasure(c.measures, at(p, "measures"), difference), wins: number(c, "wins", p), losses: number(c, "losses", p), ties: number(c, "ties", p) };
    }),
    slices: list(from, "slices", path, (one, p) => {
      const s = object(one, p);
      return {
        field: text(s, "field", p),
        value: text(s, "value", p),
        queries: number(s, "queries", p),
        runs: list(s, "runs", p, (one, p) => {
          const run = object(one, p);
          return { name: text(run, "name", p), metrics: metrics(run.metrics, at(p, "metrics")), ndcg_10_interval: estimate(run.ndcg_10_interval, at(p, "ndcg_10_interval")) };
        }),
      };
    }),
    changes: list(from, "changes", path, (one, p) => {
      const c = object(one, p);
      return { a: text(c, "a", p), b: text(c, "b", p), wins: list(c, "wins", p, change), losses: list(c, "losses", p, change) };
    }),
    each: list(from, "each", path, (one, p) => {
      const q = object(one, p);
      const scores = list(q, "ndcg_10", p, (n, at) => {
        if (typeof n !== "number") throw new Wrong(at, "notNumber");
        return n;
      });
      if (scores.length !== runs.length) throw new Wrong(at(p, "ndcg_10"), { numbers: scores.length, runs: runs.length });
      return { query: text(q, "query", p), ndcg_10: scores };
    }),
    reliability: from.reliability === undefined || from.reliability === null ? null : reliability(from.reliability, at(path, "reliability")),
    nothing: list(from, "nothing", path, nothing),
  };
}

function report(value: unknown): Omit<Report, "file" | "bytes"> {
  const from = object(value, "");
  if (!Array.isArray(from.sets)) throw new Wrong("sets", "notList");
  return { embedder: text(from, "embedder", ""), backend: text(from, "backend", ""), seed: number(from, "seed", ""), sets: list(from, "sets", "", set, true) };
}

// fixed formats a measure with three decimals.
export function fixed(n: number): string {
  return decimal(n, 3);
}

// signed formats a difference with its sign: "+.012".
export function signed(n: number): string {
  const text = fixed(n);
  return text.startsWith("−") || text === fixed(0) ? text : `+${text}`;
}
