/** The relevance below which the server's tools leave hits out. */
export const defaultMinRelevance = 0.03;

/** Bytes of a question, at most, as the server has it. */
const maxBytes = 16_000;

/** Returns as much of a text as a question may have. */
export function question(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
