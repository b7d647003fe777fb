/**
 * Returns JSON in which an integer is a number if that is written with its digits. The client
 * reads integers beyond Number.MAX_SAFE_INTEGER as BigInt, which Mastra does not know: numbers
 * that it wrote come back as they were.
 */
export function withNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return String(Number(value)) === String(value) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumbers(member)]));
}
