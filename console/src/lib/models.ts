import type { Plain } from "../i18n/messages";
import type { Schemas } from "./api";
import { t } from "./i18n.svelte";

// Which models read a store, and which judged a hit.

export type Language = Schemas["Language"];

// choices are the languages of a store, each with what it means.
export const choices: Record<Language, Plain> = {
  auto: "model.auto",
  english: "model.onlyEnglish",
  multilingual: "model.onlyMultilingual",
};

const models: Record<string, Plain> = { english: "model.english", multilingual: "model.multilingual" };

// modelName is a model's name; of an embedder that reads every language its fingerprint.
export const modelName = (model: string) => (models[model] ? t(models[model]) : model);

// mayChoose reports whether the visitor may choose the language of a store.
export const mayChoose = (store: Schemas["StoreInfo"], platform: boolean) => platform || (store.level === "readwrite" && store.kind !== "grant");
