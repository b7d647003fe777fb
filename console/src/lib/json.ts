import { t } from "./i18n.svelte";

type Expected = "comma" | "name" | "colon" | "quote" | "value" | "end";

class Stopped {
  constructor(
    readonly expected: Expected,
    readonly end: string, // of the list; "": none is open
  ) {}
}

function said({ expected, end }: Stopped, where: { line: number; column: number }): string {
  return expected === "comma" ? t("json.comma", { ...where, end }) : t(`json.${expected}`, where);
}

// placeOf finds where a text stops being JSON, in every browser alike: its line and
// column, counted from 1, and what is expected there. null: it is JSON.
export function placeOf(text: string): { line: number; column: number; said: string } | null {
  let at = 0;
  const stop = (expected: Expected, end = ""): never => {
    throw new Stopped(expected, end);
  };
  const space = () => {
    while (/[ \t\r\n]/.test(text[at] ?? "")) at++;
  };
  const token = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found !== null;
  };
  const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
  const list = (end: string, item: () => void) => {
    at++;
    space();
    if (text[at] === end) return void at++;
    for (;;) {
      space();
      item();
      space();
      if (text[at] === end) return void at++;
      if (text[at] !== ",") stop("comma", end);
      at++;
    }
  };
  const value = (): void => {
    space();
    if (text[at] === "{")
      return list("}", () => {
        if (!token(string)) stop("name");
        space();
        if (text[at] !== ":") stop("colon");
        at++;
        value();
      });
    if (text[at] === "[") return list("]", value);
    if (text[at] === '"') return token(string) ? undefined : stop("quote");
    if (!token(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y)) stop("value");
  };
  try {
    value();
    space();
    if (at < text.length) stop("end");
    return null;
  } catch (stopped) {
    if (!(stopped instanceof Stopped)) throw stopped;
    const before = text.slice(0, at).split("\n");
    const where = { line: before.length, column: before.at(-1)!.length + 1 };
    return { ...where, said: said(stopped, where) };
  }
}
