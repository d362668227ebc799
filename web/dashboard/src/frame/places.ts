import type { IconName } from "../parts/icon.tsx";

export interface Place {
  to:
    | "/"
    | "/needs"
    | "/payments"
    | "/links"
    | "/refunds"
    | "/settlements"
    | "/customers"
    | "/transfers"
    | "/reports"
    | "/webhooks"
    | "/events"
    | "/requests"
    | "/keys"
    | "/chains"
    | "/audit"
    | "/branding"
    | "/members"
    | "/settings";
  name: string;
  icon: IconName;
  /** What goes there after G. */
  letter?: string;
}

/** Pages of the navigation, by group; the first has no name. Only what exists. */
export const GROUPS: readonly { name?: string; places: readonly Place[] }[] = [
  {
    places: [
      { to: "/", name: "Home", icon: "home", letter: "h" },
      { to: "/needs", name: "Needs you", icon: "needs", letter: "n" },
    ],
  },
  {
    name: "Money",
    places: [
      { to: "/payments", name: "Payments", icon: "payments", letter: "p" },
      { to: "/links", name: "Payment links", icon: "link", letter: "l" },
      { to: "/refunds", name: "Refunds", icon: "back", letter: "r" },
      { to: "/settlements", name: "Settlements", icon: "send", letter: "s" },
      { to: "/customers", name: "Customers", icon: "person", letter: "c" },
      { to: "/transfers", name: "Transfers", icon: "arrived", letter: "t" },
      { to: "/reports", name: "Reports", icon: "reports", letter: "o" },
    ],
  },
  {
    name: "Developers",
    places: [
      { to: "/webhooks", name: "Webhooks", icon: "webhooks", letter: "w" },
      { to: "/events", name: "Events", icon: "events", letter: "e" },
      { to: "/requests", name: "Requests", icon: "requests", letter: "q" },
      { to: "/keys", name: "API keys", icon: "key", letter: "k" },
      { to: "/chains", name: "Chains", icon: "chains", letter: "x" },
    ],
  },
  {
    name: "Project",
    places: [
      { to: "/branding", name: "Branding", icon: "palette", letter: "b" },
      { to: "/members", name: "Members", icon: "people", letter: "m" },
      { to: "/audit", name: "Audit log", icon: "audit", letter: "a" },
      { to: "/settings", name: "Settings", icon: "settings", letter: "i" },
    ],
  },
];

/** Where a letter goes. */
export const LETTERED = GROUPS.flatMap((group) => group.places).filter(
  ({ letter }) => letter !== undefined,
);

/** At the bottom of a phone; the others are behind More. */
export const FIRST: ReadonlySet<Place["to"]> = new Set(["/", "/needs", "/payments"]);
