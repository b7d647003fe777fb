// Characters that change how text looks without being seen: control characters, marks of
// direction, and what has no width. Joiners inside of words and emoji are left alone.
const hidden = /[\u0000-\u0008\u000b\u000c\u000d\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const names: Record<number, string> = {
  0x00ad: "soft hyphen",
  0x061c: "Arabic letter mark",
  0x200b: "zero width space",
  0x200e: "left-to-right mark",
  0x200f: "right-to-left mark",
  0x2028: "line separator",
  0x2029: "paragraph separator",
  0x202a: "left-to-right embedding",
  0x202b: "right-to-left embedding",
  0x202c: "pop directional formatting",
  0x202d: "left-to-right override",
  0x202e: "right-to-left override",
  0x2060: "word joiner",
  0x2066: "left-to-right isolate",
  0x2067: "right-to-left isolate",
  0x2068: "first strong isolate",
  0x2069: "pop directional isolate",
  0xfeff: "byte order mark",
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
    found.push({ text: codeOf(m[0]), name: names[code] ?? "control character" });
    at = m.index + m[0].length;
  }
  if (at < text.length) found.push({ text: text.slice(at) });
  return found;
}

const codeOf = (c: string) => `U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
