// placeOf finds where a text stops being JSON, in every browser alike: its line and
// column, counted from 1, and what is expected there. null: it is JSON.
export function placeOf(text: string): { line: number; column: number; expected: string } | null {
  let at = 0;
  const stop = (expected: string): never => {
    throw expected;
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
      if (text[at] !== ",") stop(`"," or "${end}"`);
      at++;
    }
  };
  const value = (): void => {
    space();
    if (text[at] === "{")
      return list("}", () => {
        if (!token(string)) stop("a name in double quotes");
        space();
        if (text[at] !== ":") stop('":"');
        at++;
        value();
      });
    if (text[at] === "[") return list("]", value);
    if (text[at] === '"') return token(string) ? undefined : stop("the end of this text in double quotes, without line breaks");
    if (!token(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y)) stop("a value");
  };
  try {
    value();
    space();
    if (at < text.length) stop("the end");
    return null;
  } catch (expected) {
    if (typeof expected !== "string") throw expected;
    const before = text.slice(0, at).split("\n");
    return { line: before.length, column: before.at(-1)!.length + 1, expected };
  }
}
