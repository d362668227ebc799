import type { IconName } from "../parts/icon.tsx";

export interface Place {
  to:
    | "/needs"
    | "/payments"
    | "/refunds"
    | "/settlements"
    | "/customers"
    | "/transfers"
    | "/reports"
    | "/webhooks"
    | "/events"
    | "/requests"
    | "/keys"
    | "/audit"
    | "/branding"
    | "/members"
    | "/settings";
  name: string;
  icon: IconName;
}

/** Pages of the navigation, by group; the first has no name. Only what exists. */
export const GROUPS: readonly { name?: string; places: readonly Place[] }[] = [
  { places: [{ to: "/needs", name: "Needs you", icon: "needs" }] },
  {
    name: "Money",
    places: [
      { to: "/payments", name: "Payments", icon: "payments" },
      { to: "/refunds", name: "Refunds", icon: "back" },
      { to: "/settlements", name: "Settlements", icon: "send" },
      { to: "/customers", name: "Customers", icon: "person" },
      { to: "/transfers", name: "Transfers", icon: "arrived" },
      { to: "/reports", name: "Reports", icon: "reports" },
    ],
  },
  {
    name: "Developers",
    places: [
      { to: "/webhooks", name: "Webhooks", icon: "webhooks" },
      { to: "/events", name: "Events", icon: "events" },
      { to: "/requests", name: "Requests", icon: "requests" },
      { to: "/keys", name: "API keys", icon: "key" },
    ],
  },
  {
    name: "Project",
    places: [
      { to: "/branding", name: "Branding", icon: "palette" },
      { to: "/members", name: "Members", icon: "people" },
      { to: "/audit", name: "Audit log", icon: "audit" },
      { to: "/settings", name: "Settings", icon: "settings" },
    ],
  },
];

/** At the bottom of a phone; the others are behind More. */
export const FIRST: ReadonlySet<Place["to"]> = new Set(["/needs", "/payments"]);
