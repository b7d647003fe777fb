/** JSON that preserves all digits of integers: those that a number cannot hold exactly are BigInt. */

const manyDigits = /\d{16}/;
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const integer = /^-?[1-9]\d{15,}$/;

/** Reads JSON like JSON.parse: an integer beyond Number.MAX_SAFE_INTEGER is a BigInt. */
export function parseJSON(text: string): unknown {
  if (!manyDigits.test(text)) return JSON.parse(text);
  const mark = unguessed();
  const marked = text.replace(tokens, (token) => (integer.test(token) && !Number.isSafeInteger(Number(token)) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_, value: unknown) => (typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value));
}

/** Writes JSON like JSON.stringify, and a BigInt as an integer with all its digits. */
export function stringifyJSON(value: unknown): string {
  const mark = unguessed();
  let found = false;
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, member: unknown) {
    const given = typeof this[key] === "bigint" ? this[key] : member; // a program may have given BigInt a toJSON
    if (typeof given !== "bigint") return member;
    found = true;
    return `${mark}${given}`;
  });
  return found ? text.replace(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1") : text;
}

/** Returns 32 random digits. Pages of plain HTTP have no crypto.randomUUID. */
export function unguessed(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
