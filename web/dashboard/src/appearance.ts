// How the pages look and react in this browser: theme, height of rows, keys. The first value holds until the member
// chooses.

export const CHOICES = {
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
  keys: ["on", "off"],
} as const;

export type Choice = keyof typeof CHOICES;

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
}

export function keepChoice(choice: Choice, value: string): void {
  localStorage.setItem(toKey(choice), value);
  applyAppearance();
}
