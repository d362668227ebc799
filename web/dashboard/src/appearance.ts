// How the pages look and react in this browser: theme, height of rows, zone of times, amounts, keys. The first value
// holds until the member chooses.
import { useSyncExternalStore } from "react";
import { setHidden } from "./amounts.ts";
import { setZone } from "./times.ts";

export const CHOICES = {
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
  zone: ["local", "utc"],
  amounts: ["shown", "hidden"],
  keys: ["on", "off"],
} as const;

export type Choice = keyof typeof CHOICES;

const watchers = new Set<() => void>();

function toKey(choice: Choice): string {
  return `dashboard-${choice}`;
}

export function readChoice(choice: Choice): string {
  const values: readonly string[] = CHOICES[choice];
  const kept = localStorage.getItem(toKey(choice));
  return kept !== null && values.includes(kept) ? kept : (values[0] ?? "");
}

export function applyAppearance(): void {
  const { dataset } = document.documentElement;
  for (const choice of Object.keys(CHOICES) as Choice[]) dataset[choice] = readChoice(choice);
  setZone(readChoice("zone") === "utc" ? "UTC" : undefined);
  setHidden(readChoice("amounts") === "hidden");
}

export function keepChoice(choice: Choice, value: string): void {
  localStorage.setItem(toKey(choice), value);
  applyAppearance();
  for (const watch of watchers) watch();
}

function subscribe(watch: () => void): () => void {
  watchers.add(watch);
  return () => watchers.delete(watch);
}

/** The choice as it is now; whoever shows what depends on it is drawn again when it changes. */
export function useChoice(choice: Choice): string {
  return useSyncExternalStore(subscribe, () => readChoice(choice));
}
