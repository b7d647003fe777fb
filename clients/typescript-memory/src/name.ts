/** Namespaces of labels: ["users", "ada"] is the namespace "users.ada", and each can be made of the other. */

/** Returns the name of a namespace. The server refuses one of more than 256 bytes. */
export function join(...labels: string[]): string {
  return labels.map(escape).join(".");
}

/** Returns the labels of a namespace that join has made. */
export function split(namespace: string): string[] {
  return namespace.split(".").map(unescape);
}

/** Returns a key that may be any text but the empty one. The server refuses one of more than 512 bytes. */
export function key(text: string): string {
  return escape(text).replaceAll("/", "%2F");
}

/** Returns the text of a key. */
export function unescape(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, decodeURIComponent);
}

/** Writes with percent signs what a text has and names do not: dots, control characters, decomposed letters. */
function escape(text: string): string {
  const plain = text.replace(/%(?=[0-9A-Fa-f]{2})/g, "%25").replaceAll(".", "%2E");
  const decomposed = plain.normalize("NFC") !== plain;
  return Array.from(plain, (c) => (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(c) || (decomposed && c > "\x7f") ? percent(c) : c)).join("");
}

function percent(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
