import type { Options } from "./ask";
import { t } from "./i18n.svelte";

// Conditions of `where` as rows that all hold, and back. What is nested deeper stays JSON.
export interface Row {
  field: string;
  operator: string;
  value: string; // as it is typed: lists with commas
}

const order = ["gt", "gte", "lt", "lte"];
const equal = ["eq", "ne", "in", "nin"];
const text = [...equal, ...order, "prefix", "contains"];
const times = [...equal, ...order];

// operators are those that each field takes, as in openapi.yaml. value.NAME takes those of member.
const operators: Record<string, string[]> = {
  key: text,
  namespace: text,
  type: [...equal, "exists"],
  tags: ["contains", "exists"],
  label: [...equal, ...order],
  owner_id: text,
  updated_by: text,
  encrypted: ["eq", "ne"],
  created_at: times,
  updated_at: times,
  occurred_at: [...times, "exists"],
  expires_at: [...times, "exists"],
};
const member = [...text, "exists"];

export const fields = [...Object.keys(operators), "value."];

export function operatorsOf(field: string): string[] {
  return operators[field] ?? (field.startsWith("value.") ? member : ["eq"]);
}

const named = ["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "prefix", "contains", "exists"] as const;

// meaning says in words what an operator asks.
export function meaning(operator: string) {
  const known = named.find((o) => o === operator);
  return known ? t(`operator.${known}`) : operator;
}
export const several = (operator: string) => operator === "in" || operator === "nin";

// valuesOf are the values that a field can have, if they are few.
export function valuesOf(field: string, operator: string): string[] {
  if (operator === "exists" || field === "encrypted") return ["true", "false"];
  if (field === "type") return ["user", "feedback", "project", "reference"];
  if (field === "label") return ["PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"];
  return [];
}

// suggestions complete a value that can be anything of its kind.
export function suggestions(field: string): string[] {
  return field.endsWith("_at") ? ["now-1d", "now-7d", "now-30d", "now-52w", "now", "now+7d", new Date().toISOString().slice(0, 10)] : [];
}

// whole tells whether a row says enough to be asked.
export function whole(row: Row): boolean {
  const empty = row.field === "namespace" && (row.operator === "eq" || row.operator === "ne"); // the one without a name
  return row.field !== "" && row.field !== "value." && (row.value !== "" || empty);
}

function operand(row: Row): unknown {
  const one = (typed: string): unknown => {
    if (row.operator === "exists" || row.field === "encrypted") return typed === "true";
    if (!row.field.startsWith("value.") || row.operator === "prefix") return typed;
    if (/^(true|false|-?\d+(\.\d+)?([eE][+-]?\d+)?)$/.test(typed)) return JSON.parse(typed.replace(/^(-?)0+(?=\d)/, "$1"));
    return /^".*"$/.test(typed) ? typed.slice(1, -1) : typed; // "5" is text
  };
  return several(row.operator) ? row.value.split(",").map((v) => v.trim()).filter(Boolean).map(one) : one(row.value);
}

// fromRows makes a condition of rows; undefined: there is none.
export function fromRows(rows: Row[]): Options["where"] | undefined {
  const all: Record<string, Record<string, unknown>>[] = [];
  for (const row of rows.filter(whole)) {
    // A second comparison of the same kind needs a condition of its own.
    let into = all.find((c) => !(row.operator in (c[row.field] ?? {})));
    if (!into) all.push((into = {}));
    (into[row.field] ??= {})[row.operator] = operand(row);
  }
  if (all.length === 0) return undefined;
  return (all.length === 1 ? all[0] : { and: all }) as Options["where"];
}

// toRows reads a condition; null: it cannot be told in rows.
export function toRows(where: unknown): Row[] | null {
  if (where === undefined) return [];
  if (where === null || typeof where !== "object" || Array.isArray(where)) return null;
  const rows: Row[] = [];
  for (const [field, value] of Object.entries(where)) {
    if (field === "and" && Array.isArray(value)) {
      for (const one of value) {
        const more = toRows(one);
        if (!more) return null;
        rows.push(...more);
      }
      continue;
    }
    if (field === "and" || field === "or" || field === "not" || value === null || typeof value !== "object" || Array.isArray(value)) return null;
    for (const [operator, of] of Object.entries(value)) {
      const typed = (v: unknown) => (typeof v === "string" && /^(true|false|-?\d[\d.eE+-]*)$/.test(v) && field.startsWith("value.") ? `"${v}"` : String(v));
      if (Array.isArray(of) ? !several(operator) || of.some((v) => typeof v === "string" && v.includes(",")) : typeof of === "object") return null;
      rows.push({ field, operator, value: Array.isArray(of) ? of.map(typed).join(", ") : typed(of) });
    }
  }
  return rows;
}
