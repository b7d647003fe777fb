import { dates, i18n, numbers, relatives, t } from "./i18n.svelte";

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

// english: numbers and exact times have the house's own short form.
const english = () => i18n.language === "en";

// ago tells a time as seen from now, such as "2 days ago".
export function ago(time: string, now: number) {
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relatives({ numeric: "auto", style: "short" }).format(Math.trunc(seconds / size), unit);
  }
  return t("time.now");
}

export function exact(time: string) {
  if (english()) return new Date(time).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
  return dates({ dateStyle: "medium", timeStyle: "long", timeZone: "UTC" }).format(new Date(time));
}

// dayOf tells a day in UTC that is written as 2026-01-31.
export function dayOf(day: string) {
  return english() ? day : dates({ dateStyle: "medium", timeZone: "UTC" }).format(new Date(day));
}

// decimal tells a number with so many digits behind the point; in English without a zero
// before it: ".94".
export function decimal(n: number, digits: number) {
  const text = numbers({ minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: "negative", useGrouping: false }).format(n).replace("-", "−");
  return english() ? text.replace(/^(−?)0\./, "$1.") : text;
}

// percent tells a share of 1.
export function percent(share: number) {
  if (english()) return `${(100 * share).toFixed(1)} %`;
  return numbers({ style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(share);
}

const symbols = { millisecond: "ms", second: "s", minute: "min", hour: "h", day: "d" };

// unit tells a duration; in English by the symbol of its unit.
export function unit(n: number, of: keyof typeof symbols, digits = 0) {
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  if (english()) return `${numbers(fraction).format(n).replace(/^(-?)0\.(?=\d*[1-9])/, "$1.")} ${symbols[of]}`;
  return numbers({ style: "unit", unit: of, unitDisplay: "short", ...fraction }).format(n);
}

// digits tells a number with two digits behind the point.
export function digits(n: number) {
  return decimal(n, 2);
}

export function milliseconds(n: number) {
  return unit(n, "millisecond", n < 10 ? 1 : 0);
}

export function shortId(id: string) {
  return id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}

// textOf is the text of a value as the service searches it: a string itself; of another
// value a line for each string and number, with the words of its member's name before it;
// of one without text, its JSON.
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const lines: string[] = [];
  const collect = (name: string, v: unknown) => {
    const start = name === "" ? "" : `${name}: `;
    if (typeof v === "string" && v !== "") lines.push(start + v);
    else if (typeof v === "number") lines.push(start + plainNumber(v));
    else if (name !== "") lines.push(name);
    if (Array.isArray(v)) v.forEach((element) => collect("", element));
    else if (v !== null && typeof v === "object") Object.entries(v).forEach(([member, of]) => collect(memberWords(member), of));
  };
  collect("", value);
  return lines.length > 0 ? lines.join("\n") : JSON.stringify(value);
}

// memberWords are the words of a member's name: "listen port" of listen_port, "wifi
// Password" of wifiPassword.
function memberWords(name: string) {
  return name
    .replaceAll("_", " ")
    .replace(/(\p{Ll})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1$2 ")
    .trim();
}

// plainNumber writes a number without an exponent.
function plainNumber(n: number) {
  return Math.abs(n) < 1e21 && !/e/.test(String(n)) ? String(n) : Number(n).toLocaleString("en", { useGrouping: false, maximumFractionDigits: 20 });
}

export interface Segment {
  text: string;
  marked: boolean;
}

// segments cuts a text at byte ranges of its UTF-8. Ranges that do not fit are passed over.
export function segments(text: string, ranges: number[][] | undefined): Segment[] {
  if (!ranges?.length) return [{ text, marked: false }];
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const all: Segment[] = [];
  let at = 0;
  for (const [start = 0, end = 0] of ranges) {
    if (start < at || end <= start || end > bytes.length) continue;
    if (start > at) all.push({ text: decoder.decode(bytes.subarray(at, start)), marked: false });
    all.push({ text: decoder.decode(bytes.subarray(start, end)), marked: true });
    at = end;
  }
  if (at < bytes.length) all.push({ text: decoder.decode(bytes.subarray(at)), marked: false });
  return all;
}

// timings reads a Server-Timing header: milliseconds by step.
export function timings(header: string | null): Map<string, number> {
  const all = new Map<string, number>();
  for (const part of (header ?? "").split(",")) {
    const match = /^\s*([a-z_]+);dur=([0-9.]+)/.exec(part);
    if (match) all.set(match[1]!, Number(match[2]));
  }
  return all;
}
