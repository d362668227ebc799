import type * as proto from "@pay/proto";
import type { Side } from "./tenants.ts";

export const FIRST_PAGE = { page: 1, limit: 20, after: "" };

/** One rpc, as its owner calls it and as a stranger does. */
export interface Row {
  /** The request but for its tenant, on things of this side. */
  request(side: Side): object;
  /**
   * What a stranger gets: refused as unknown or by its own address book, an empty list, something of its own, or
   * nothing in this form.
   */
  stranger: "not_found" | "invalid_argument" | "empty" | "own" | object;
}

type ServiceRpcs<
  Service extends string,
  Descriptor extends { method: object },
> = `${Service}/${Capitalize<keyof Descriptor["method"] & string>}`;

/** Of the services of the product. A table with a row for each of them does not compile without one. */
export type RpcName =
  | ServiceRpcs<"chains.v1.ChainsService", typeof proto.ChainsService>
  | ServiceRpcs<"customers.v1.CustomersService", typeof proto.CustomersService>
  | ServiceRpcs<"payments.v1.PaymentsService", typeof proto.PaymentsService>
  | ServiceRpcs<"refunds.v1.RefundsService", typeof proto.RefundsService>
  | ServiceRpcs<"settlements.v1.SettlementsService", typeof proto.SettlementsService>
  | ServiceRpcs<"webhooks.v1.WebhooksService", typeof proto.WebhooksService>;
