import type { Schemas } from "./api";

// Which models read a store, and which judged a hit. The texts of both are here.
export const texts = {
  title: "Languages",
  about: "Two models read memories: one reads English, the other about a hundred languages.",
  store: "store",
  language: "language",
  model: "model",
  models: "read by",
  why: "why",
  choose: (store: string) => `language of ${store}`,
  saving: "saving …",
  hitModel: "The model that compared this memory with the question",
  hitLanguage: "What language its text seems to be in",
} as const;

export type Language = Schemas["Language"];

// choices are the languages of a store, each with what it means.
export const choices: Record<Language, string> = {
  auto: "Each memory is read by the model of its language; after a question in another language than English, the multilingual model reads all.",
  english: "The English model reads every memory. Those in other languages are mostly found by their words alone.",
  multilingual: "The multilingual model reads every memory. English ones are found a little less well than by the English model.",
};

const models: Record<string, string> = { english: "English", multilingual: "multilingual" };

// modelName is a model's name; of an embedder that reads every language its fingerprint.
export const modelName = (model: string) => models[model] ?? model;

const names = new Intl.DisplayNames("en", { type: "language" });

// languageName is the name of a language by its code in ISO 639-1.
export const languageName = (code: string) => names.of(code) ?? code;

// mayChoose reports whether the visitor may choose the language of a store.
export const mayChoose = (store: Schemas["StoreInfo"], platform: boolean) => platform || (store.level === "readwrite" && store.kind !== "grant");
