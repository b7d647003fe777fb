import type { Plain } from "../i18n/messages";
import { t } from "./i18n.svelte";

// Characters that change how text looks without being seen: control characters, marks of
// direction, and what has no width. Joiners inside of words and emoji are left alone.
const hidden = /[\u0000-\u0008\u000b\u000c\u000d\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const names: Record<number, Plain> = {
  0x00ad: "hidden.softHyphen",
  0x061c: "hidden.arabic",
  0x200b: "hidden.zeroWidth",
  0x200e: "hidden.ltrMark",
  0x200f: "hidden.rtlMark",
  0x2028: "hidden.line",
  0x2029: "hidden.paragraph",
  0x202a: "hidden.ltrEmbedding",
  0x202b: "hidden.rtlEmbedding",
  0x202c: "hidden.popFormatting",
  0x202d: "hidden.ltrOverride",
  0x202e: "hidden.rtlOverride",
  0x2060: "hidden.joiner",
  0x2066: "hidden.ltrIsolate",
  0x2067: "hidden.rtlIsolate",
  0x2068: "hidden.firstStrong",
  0x2069: "hidden.popIsolate",
  0xfeff: "hidden.byteOrder",
};

export interface Piece {
  text: string; // as it is written, or the code point of a hidden character
  name?: string; // of a hidden character
}

const mostMarks = 500;

// pieces cuts a text where it has hidden characters, and tells these by code point.
// Behind the first mostMarks of them the code points are part of the text, so that a
// text of nothing else stays cheap to draw.
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  hidden.lastIndex = 0;
  for (let m = hidden.exec(text); m; m = hidden.exec(text)) {
    if (m[0] === "\r" && text[m.index + 1] === "\n") continue;
    if (found.length >= 2 * mostMarks) {
      found.push({ text: text.slice(at).replace(hidden, (c) => `‹${codeOf(c)}›`) });
      return found;
    }
    if (m.index > at) found.push({ text: text.slice(at, m.index) });
    const code = m[0].codePointAt(0)!;
    found.push({ text: codeOf(m[0]), name: t(names[code] ?? "hidden.control") });
    at = m.index + m[0].length;
  }
  if (at < text.length) found.push({ text: text.slice(at) });
  return found;
}

const codeOf = (c: string) => `U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
