import { isVisibleOn, textOn } from "../../look/colors.ts";

/** `rgb(…)`, as browsers compute colors, as #RRGGBB. */
export function toHex(computed: string): string {
  const channels = computed.match(/\d+/g)?.slice(0, 3) ?? [];
  return `#${channels.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
}

export function applyColor(color: string | null): void {
  const { style } = document.documentElement;
  const ground = toHex(getComputedStyle(document.body).backgroundColor);
  const isApplied = color !== null && isVisibleOn(ground, color);
  style.setProperty("--accent", isApplied ? color : "");
  style.setProperty("--accent-hover", isApplied ? color : "");
  style.setProperty("--text-on-accent", isApplied ? textOn(color) : "");
}
