// What may happen to a transfer that two payments want, in every order, and who is confirmed then.
type Action = "first submits" | "second submits" | "mined";
export interface History {
  actions: readonly Action[];
  declared: boolean;
  tenants: 1 | 2;
}
const ORDERS: readonly (readonly Action[])[] = [
  ["first submits", "second submits", "mined"],
  ["second submits", "first submits", "mined"],
  ["first submits", "mined", "second submits"],
  ["second submits", "mined", "first submits"],
  ["mined", "first submits", "second submits"],
  ["mined", "second submits", "first submits"],
];
export const HISTORIES: History[] = ORDERS.flatMap((actions) =>
  [false, true].flatMap((declared) =>
    ([1, 2] as const).map((tenants) => ({ actions, declared, tenants })),
  ),
);

/**
 * Who is to be confirmed: of two merchants both; of one merchant the payer who was named in time, else the first hash.
 */
export function listWinners({ actions, declared, tenants }: History): ("first" | "second")[] {
  if (tenants === 2) return ["first", "second"];
  if (declared) return ["second"];
  return [actions.find((action) => action !== "mined") === "first submits" ? "first" : "second"];
}

export function getName({ actions, declared, tenants }: History): string {
  return `${actions.join(", ")}${declared ? "; the second named the sender" : ""}; ${tenants} merchant(s)`;
}
