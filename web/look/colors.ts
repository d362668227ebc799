// A merchant's color may be anything. Text on it is black or white, whichever can be read.

function channel(hex: string): number {
  const value = Number.parseInt(hex, 16) / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance by WCAG, of #RRGGBB. */
export function luminance(color: string): number {
  return (
    0.2126 * channel(color.slice(1, 3)) +
    0.7152 * channel(color.slice(3, 5)) +
    0.0722 * channel(color.slice(5, 7))
  );
}

export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const BLACK = "#000000";
export const WHITE = "#FFFFFF";

export function textOn(color: string): string {
  return contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK;
}

/** The checkout's ground in each theme: `--sunken` of the tokens. */
export const GROUNDS = { light: "#f6f7f9", dark: "#0b0d11" } as const;

/** A button that cannot be told from the page keeps the product's color. */
const CONTRAST_MIN = 3;

export function isVisibleOn(ground: string, color: string): boolean {
  return contrast(color, ground) >= CONTRAST_MIN;
}
