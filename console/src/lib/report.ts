// Reports of `mneme bench relevance --json`. A report is a file of the visitor's and is
// read in the page: every part of it is checked before it is shown.

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

// Refused says why a file is no report.
export class Refused extends Error {
  constructor(
    readonly file: string,
    readonly why: string,
    readonly advice: string,
  ) {
    super(why);
  }
}

const maxBytes = 128 * 1024 * 1024; // a report of 100,000 questions has some 20 MB

// open reads a file. It throws Refused.
export async function open(file: File): Promise<Report> {
  if (file.size > maxBytes) throw new Refused(file.name, `It has ${Math.round(file.size / 1048576)} MB, and a report has at most 128.`, "Run the benchmark with fewer --losses, or on one dataset at a time.");
  let text;
  try {
    text = await file.text();
  } catch {
    throw new Refused(file.name, "The browser cannot read it.", "It may be a folder, or was moved or changed since it was chosen.");
  }
  return read(file.name, text);
}

// read reads the text of a file. It throws Refused.
export function read(name: string, text: string): Report {
  const refuse = (why: string, advice: string) => new Refused(name, why, advice);
  const again = "Write it again with mneme bench relevance --json FILE.";
  const start = text.slice(0, 1000).trimStart();
  if (start === "") throw refuse("It is empty.", "The report is written when the run has ended: was it interrupted?");
  if (/^<(!doctype|html)/i.test(start)) throw refuse("It is a page, not JSON.", "The page of --html opens in the browser by itself. Here the file of --json is read.");
  if (/^\S+ Q0 \S+ \d+ /.test(start)) throw refuse("It is a run file in TREC's format, which has rankings alone.", "Measure it: mneme bench relevance --data DIR --run-in FILE --json r.json");
  if (/^query-id\t/.test(start)) throw refuse("It is a file of judgements, not of figures.", "Measure with it: mneme bench relevance --data DIR --qrels FILE --json r.json");
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch (thrown) {
    const at = Number(/position (\d+)/.exec(String(thrown))?.[1] ?? NaN);
    if (at >= text.trimEnd().length || /end of (JSON )?(input|data)|Unterminated/i.test(String(thrown))) throw refuse("Its JSON breaks off before the end.", `The run may have been interrupted, or the disk may be full. ${again}`);
    const line = Number.isNaN(at) ? "" : ` from line ${text.slice(0, at).split("\n").length} on`;
    throw refuse(`It is not JSON${line}.`, start.startsWith("{") && text.includes("}\n{") ? "These look like lines of JSON, such as those of mneme export." : again);
  }
  try {
    return { ...report(root), file: name, bytes: text.length };
  } catch (thrown) {
    if (!(thrown instanceof Wrong)) throw thrown;
    const other = thrown.path === "" || thrown.path === "sets";
    throw refuse(
      other ? "It is JSON, but not a report of mneme bench relevance: it has no list of sets." : `It is not a whole report: ${thrown.path} ${thrown.message}.`,
      other ? "Other benchmarks, exports and answers of the API are not read here." : `It was edited, or is of another version of mneme. ${again}`,
    );
  }
}

// Wrong is a part of a file that is not what it should be.
class Wrong extends Error {
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

type Object = Record<string, unknown>;

function object(value: unknown, path: string): Object {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Wrong(path, "is not an object");
  return value as Object;
}

const at = (path: string, name: string) => (path === "" ? name : `${path}.${name}`);

function text(from: Object, name: string, path: string): string {
  const value = from[name];
  if (typeof value !== "string") throw new Wrong(at(path, name), "is not a text");
  return value;
}

function number(from: Object, name: string, path: string): number {
  const value = from[name];
  if (typeof value !== "number") throw new Wrong(at(path, name), "is not a number");
  return value;
}

// list reads a list; one that is absent or null is empty unless it is needed.
function list<T>(from: Object, name: string, path: string, read: (value: unknown, path: string) => T, needed = false): T[] {
  const value = from[name];
  if (!needed && (value === undefined || value === null)) return [];
  if (!Array.isArray(value)) throw new Wrong(at(path, name), "is not a list");
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

// byMeasure reads what is told of each measure.
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
        if (typeof n !== "number") throw new Wrong(at, "is not a number");
        return n;
      });
      if (scores.length !== runs.length) throw new Wrong(at(p, "ndcg_10"), `has ${scores.length} numbers for ${runs.length} runs`);
      return { query: text(q, "query", p), ndcg_10: scores };
    }),
    reliability: from.reliability === undefined || from.reliability === null ? null : reliability(from.reliability, at(path, "reliability")),
    nothing: list(from, "nothing", path, nothing),
  };
}

function report(value: unknown): Omit<Report, "file" | "bytes"> {
  const from = object(value, "");
  if (!Array.isArray(from.sets)) throw new Wrong("sets", "is not a list");
  return { embedder: text(from, "embedder", ""), backend: text(from, "backend", ""), seed: number(from, "seed", ""), sets: list(from, "sets", "", set, true) };
}

// fixed tells a measure with three digits: ".754".
export function fixed(n: number): string {
  return n.toFixed(3).replace(/^-(0\.000)$/, "$1").replace(/^(-?)0\./, "$1.").replace("-", "−");
}

// signed tells a difference with its sign: "+.012".
export function signed(n: number): string {
  const text = fixed(n);
  return text.startsWith("−") || text === ".000" ? text : `+${text}`;
}
