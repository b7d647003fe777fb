// Messages of the catalogues. A message is text with
//
//	{name}                     a value: a number is written as the language writes it
//	{name|# hit|# hits}        one form for one thing, another for more; # is the number
//	`text`                     code, where the message is drawn by Rich.svelte
//
// The plural rules of the language choose the form of a number. A language without plurals
// has one form.
import type { en } from "./en";

export type Key = keyof typeof en;
export type Value = string | number;

// Names are the placeholders of a message.
export type Names<S extends string> = S extends `${string}{${infer Inside}}${infer Rest}` ? (Inside extends `${infer Name}|${string}` ? Name : Inside) | Names<Rest> : never;

// Values are what a message needs: nothing, or a value for each placeholder.
export type Values<K extends Key> = [Names<(typeof en)[K]>] extends [never] ? [] : [values: Record<Names<(typeof en)[K]>, Value>];

// Plain are the keys of messages without placeholders.
export type Plain = { [K in Key]: Values<K> extends [] ? K : never }[Key];

export type Catalogue = Record<Key, string>;

// Checked is a catalogue whose messages have the placeholders of the English ones. It is
// what `satisfies` compares a catalogue with, and the error names what a message lacks.
export type Checked<T extends Catalogue> = {
  [K in Key]: [Names<(typeof en)[K]>, Names<T[K]>] extends [Names<T[K]>, Names<(typeof en)[K]>] ? string : { "has other placeholders than in English": Names<(typeof en)[K]> };
};

// Part is a stretch of a message.
export interface Part {
  text: string; // of a placeholder, its name
  kind: "plain" | "code" | "value";
  forms?: string[]; // of a plural
}

const known = new Map<string, Part[]>();

// partsOf cuts a message at its placeholders and its code.
export function partsOf(message: string): Part[] {
  const before = known.get(message);
  if (before) return before;
  const parts = message
    .split(/(\{[^{}]+\}|`[^`]+`)/)
    .filter(Boolean)
    .map((text): Part => {
      if (text.startsWith("`")) return { text: text.slice(1, -1), kind: "code" };
      if (!text.startsWith("{")) return { text, kind: "plain" };
      const [name = "", ...forms] = text.slice(1, -1).split("|");
      return { text: name, kind: "value", forms };
    });
  known.set(message, parts);
  return parts;
}
