import { en } from "../i18n/en";
import { partsOf, type Catalogue, type Key, type Part, type Value, type Values } from "../i18n/messages";

// languages are those that the console speaks, by their own names. Every catalogue but
// the English one is loaded when it is chosen.
export const languages = [
  { tag: "en", name: "English", load: () => Promise.resolve<Catalogue>(en) },
  { tag: "de", name: "Deutsch", load: () => import("../i18n/de").then((m): Catalogue => m.de) },
  { tag: "es", name: "Español", load: () => import("../i18n/es").then((m): Catalogue => m.es) },
  { tag: "fr", name: "Français", load: () => import("../i18n/fr").then((m): Catalogue => m.fr) },
  { tag: "zh-Hans", name: "简体中文", load: () => import("../i18n/zh").then((m): Catalogue => m.zh) },
  { tag: "ja", name: "日本語", load: () => import("../i18n/ja").then((m): Catalogue => m.ja) },
] as const;

export type Language = (typeof languages)[number]["tag"];

const kept = "mneme.language";

// languageOf is the first of the preferred languages that there is a catalogue of. Chinese
// in any script is answered in simplified characters.
export function languageOf(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const base = tag.toLowerCase().split("-")[0];
    const found = languages.find((l) => l.tag.toLowerCase().split("-")[0] === base);
    if (found) return found.tag;
  }
  return "en";
}

class I18n {
  language = $state<Language>("en");
  private messages = $state.raw<Catalogue>(en);
  private wanted: Language = "en";

  // begin loads the language that was chosen before, or else the browser's.
  begin() {
    const chosen = languages.find((l) => l.tag === localStorage.getItem(kept))?.tag;
    return this.load(chosen ?? languageOf(navigator.languages));
  }

  // choose changes the language, and remembers it.
  choose(tag: Language) {
    localStorage.setItem(kept, tag);
    return this.load(tag);
  }

  message(key: Key) {
    return this.messages[key];
  }

  // If a catalogue cannot be loaded, the language stays as it is.
  private async load(tag: Language) {
    this.wanted = tag;
    try {
      const messages = await languages.find((l) => l.tag === tag)!.load();
      if (this.wanted !== tag) return;
      this.messages = messages;
      this.language = tag;
      document.documentElement.lang = tag;
    } catch {
      if (this.wanted === tag) this.wanted = this.language;
    }
  }
}

export const i18n = new I18n();

// formatters are made once for each language: making one takes longer than using it.
function formatter<F, O>(make: (language: string, options: O) => F) {
  const made = new Map<string, F>();
  return (options: O): F => {
    const id = `${i18n.language} ${JSON.stringify(options)}`;
    let one = made.get(id);
    if (!one) made.set(id, (one = make(i18n.language, options)));
    return one;
  };
}

export const numbers = formatter((l, o: Intl.NumberFormatOptions) => new Intl.NumberFormat(l, o));
export const dates = formatter((l, o: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(l, o));
export const relatives = formatter((l, o: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(l, o));
const lists = formatter((l, o: Intl.ListFormatOptions) => new Intl.ListFormat(l, o));
const languageNames = formatter((l, o: Intl.DisplayNamesOptions) => new Intl.DisplayNames(l, o));
const plurals = formatter((l, o: Intl.PluralRulesOptions) => new Intl.PluralRules(l, o));

// number writes a whole number with its groups of digits.
export const number = (n: number) => numbers({}).format(n);

// list joins things with commas, as the language writes them.
export const list = (items: string[]) => lists({ type: "unit", style: "short" }).format(items);

// languageName is the name of a language by its code in ISO 639-1.
export const languageName = (code: string) => languageNames({ type: "language" }).of(code) ?? code;

// valueOf writes the value of a placeholder.
export function valueOf(part: Part, value: Value): string {
  const text = typeof value === "number" ? number(value) : value;
  if (!part.forms?.length) return text;
  const form = plurals({}).select(Number(value)) === "one" ? part.forms[0] : part.forms.at(-1);
  return form!.replace("#", text);
}

// t is a message in the language that is chosen.
export function t<K extends Key>(key: K, ...values: Values<K>): string {
  const of = (values[0] ?? {}) as Record<string, Value>;
  return partsOf(i18n.message(key))
    .map((part) => (part.kind === "value" ? valueOf(part, of[part.text] ?? "") : part.text))
    .join("");
}
