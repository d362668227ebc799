// What may happen to a transfer that two payments want, in every order, and who is confirmed then.
type Action = "first submits" | "second submits" | "mined";
export interface History {
  actions: readonly Action[];
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
  ([1, 2] as const).map((tenants) => ({ actions, tenants })),
);

/** Who is to be confirmed: of two merchants both; of one merchant none, because the transfer fits both. */
export function listWinners({ tenants }: History): ("first" | "second")[] {
  return tenants === 2 ? ["first", "second"] : [];
}

export function getName({ actions, tenants }: History): string {
  return `${actions.join(", ")}; ${tenants} merchant(s)`;
}
