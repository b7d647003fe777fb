import type { types } from "./listing";
import { session } from "./session.svelte";

// What is being written of a new memory. It belongs to the token under which it was typed.
class Draft {
  key = $state<string | null>(null); // null: the suggested one
  namespace = $state("");
  text = $state("");
  tags = $state("");
  type = $state<(typeof types)[number] | "">("");
  occurred = $state("");
  private of: string | null = null;

  clear() {
    this.key = null;
    this.namespace = this.text = this.tags = this.type = this.occurred = "";
  }

  // begin leaves out what another token's visitor had typed, and takes a namespace.
  begin(namespace: string | undefined) {
    if (this.of !== session.token) this.clear();
    this.of = session.token;
    if (!this.text && namespace) this.namespace = namespace;
  }
}

export const draft = new Draft();

// suggestedKey is made of the first words of a text; "" of a text without any.
export function suggestedKey(text: string) {
  const words = text.slice(0, 400).normalize("NFC").toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  let key = "";
  for (const word of words.slice(0, 5)) {
    const next = key ? `${key}-${word}` : [...word].slice(0, 40).join("");
    if (key && [...next].length > 40) break;
    key = next;
  }
  return key;
}
