import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { en, fill, type Word, type Words } from "./words.ts";

export const Speech = createContext<{ language: string; words: Words }>({
  language: "en",
  words: en,
});

/** The page's sentences in the language that was chosen. */
export function useSay() {
  const { words } = useContext(Speech);
  return (word: Word, values?: Record<string, string | number>) => fill(words[word], values);
}
