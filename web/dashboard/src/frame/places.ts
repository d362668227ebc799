import type { IconName } from "../parts/icon.tsx";

export interface Place {
  to: "/payments" | "/members";
  name: string;
  icon: IconName;
}

/** Pages of the navigation, by group. Only what exists. */
export const GROUPS: readonly { name: string; places: readonly Place[] }[] = [
  { name: "Money", places: [{ to: "/payments", name: "Payments", icon: "payments" }] },
  { name: "Project", places: [{ to: "/members", name: "Members", icon: "people" }] },
];
