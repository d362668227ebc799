// The page's words in eight languages. English is part of the page; the others are fetched when they are wanted.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import en from "./words/en.json";

export type Words = typeof en;
export type Word = keyof Words;

const LOADERS: Record<string, () => Promise<{ default: Words }>> = {
  de: () => import("./words/de.json"),
  fr: () => import("./words/fr.json"),
  es: () => import("./words/es.json"),
  "pt-BR": () => import("./words/pt-BR.json"),
  ja: () => import("./words/ja.json"),
  "zh-Hans": () => import("./words/zh-Hans.json"),
  ar: () => import("./words/ar.json"),
};

export const LANGUAGES: Record<string, string> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  "pt-BR": "Português (Brasil)",
  ja: "日本語",
  "zh-Hans": "简体中文",
  ar: "العربية",
};

const RIGHT_TO_LEFT = ["ar"];

/** The first wanted language that the page speaks; Chinese and Portuguese have one form each. */
export function chooseLanguage(wanted: readonly string[]): string {
  for (const tag of wanted) {
    const found = Object.keys(LANGUAGES).find(
      (language) => language.slice(0, 2) === tag.slice(0, 2).toLowerCase(),
    );
    if (found !== undefined) return found;
  }
  return "en";
}

export async function loadWords(language: string): Promise<Words> {
  const load = LOADERS[language];
  if (load === undefined) return en;
  try {
    return (await load()).default;
  } catch {
    return en;
  }
}

export function getDirection(language: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr";
}

/** The sentence with its {names} replaced. */
function fill(sentence: string, values: Record<string, string | number> = {}): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export const Speech = createContext<{ language: string; words: Words }>({
  language: "en",
  words: en,
});

/** The page's sentences in the language that was chosen. */
export function useSay() {
  const { words } = useContext(Speech);
  return (word: Word, values?: Record<string, string | number>) => fill(words[word], values);
}
