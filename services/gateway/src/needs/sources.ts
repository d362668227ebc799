// The services that know what waits, each asked for a bounded page of its own open things.
import type { IdPrefix } from "@pay/values";
import type { Scope } from "../keys/caller.ts";
import type { Services } from "../services/services.ts";
import {
  describeBook,
  describeEndpoint,
  describePayment,
  describeRefund,
  describeSettlement,
  describeTransfer,
  type Need,
  type NeedKind,
} from "./need.ts";

export const SOURCE_NAMES = [
  "payments",
  "transfers",
  "refunds",
  "settlements",
  "webhooks",
  "books",
] as const;

export type SourceName = (typeof SOURCE_NAMES)[number];

/** A record that a service listed, with what of it waits. */
export interface Listed {
  id: string;
  need: Need | undefined;
}

export interface SourcePage {
  rows: Listed[];
  isEnd: boolean;
}

export interface Source {
  name: SourceName;
  prefix: IdPrefix;
  scope: Scope;
  kinds: readonly NeedKind[];
  /** Newest first, after a record. */
  list(services: Services, after: string): Promise<SourcePage>;
  find(services: Services, id: string): Promise<Need | undefined>;
}

const LIMIT = 100;

function getPage(after: string) {
  return { page: 1, limit: LIMIT, after };
}

/** A list that only its statuses narrow. */
const EVERY = {
  chainId: undefined,
  currency: undefined,
  createdFrom: undefined,
  createdTo: undefined,
  toSign: undefined,
};

function toPage<T extends { id: string }>(
  records: readonly T[],
  describe: (record: T) => Need | undefined,
  nextAfter: string,
): SourcePage {
  const rows = records.map((record) => ({ id: record.id, need: describe(record) }));
  return { rows, isEnd: nextAfter === "" };
}

async function listEndpoints(services: Services): Promise<Need[]> {
  const { endpoints } = await services.webhooks.listFailingEndpoints({});
  return endpoints.map(describeEndpoint).sort((one, other) => +other.at - +one.at);
}

export const SOURCES: readonly Source[] = [
  {
    name: "payments",
    prefix: "pay",
    scope: "payments:read",
    kinds: ["part", "late", "ambiguous", "review", "wrong_token"],
    list: async ({ payments }, after) => {
      const answer = await payments.listUndecidedPayments({ page: getPage(after) });
      return toPage(answer.payments, describePayment, answer.nextAfter);
    },
    find: async ({ payments }, id) => describePayment(await payments.getPayment({ id })),
  },
  {
    name: "transfers",
    prefix: "tr",
    scope: "payments:read",
    kinds: ["unmatched_transfer"],
    list: async ({ chains }, after) => {
      const answer = await chains.listUndecidedTransfers({ page: getPage(after) });
      return toPage(answer.transfers, describeTransfer, answer.nextAfter);
    },
    find: async ({ chains }, id) => {
      const { transfer } = await chains.getTransfer({ id });
      return transfer && describeTransfer(transfer);
    },
  },
  {
    name: "refunds",
    prefix: "refund",
    scope: "refunds:read",
    kinds: ["refund_destination", "refund_signature"],
    list: async ({ refunds }, after) => {
      const answer = await refunds.listRefunds({
        ...EVERY,
        page: getPage(after),
        statuses: ["created"],
        paymentId: undefined,
        owner: undefined,
        txHash: undefined,
      });
      return toPage(answer.refunds, describeRefund, answer.nextAfter);
    },
    find: async ({ refunds }, id) => {
      const { refund } = await refunds.getRefund({ id });
      return refund && describeRefund(refund);
    },
  },
  {
    name: "settlements",
    prefix: "stl",
    scope: "settlements:read",
    kinds: ["settlement_approval", "settlement_signature"],
    list: async ({ settlements }, after) => {
      const answer = await settlements.listSettlements({
        ...EVERY,
        page: getPage(after),
        statuses: ["requested", "approved"],
      });
      return toPage(answer.settlements, describeSettlement, answer.nextAfter);
    },
    find: async ({ settlements }, id) => {
      const { settlement } = await settlements.getSettlement({ id, forApproval: false });
      return settlement && describeSettlement(settlement);
    },
  },
  {
    name: "webhooks",
    prefix: "we",
    scope: "webhooks:read",
    kinds: ["endpoint_failing", "endpoint_disabled"],
    list: async (services, after) => {
      const needs = await listEndpoints(services);
      const from = after === "" ? 0 : needs.findIndex(({ id }) => id === after) + 1;
      return { rows: needs.slice(from).map((need) => ({ id: need.id, need })), isEnd: true };
    },
    find: async (services, id) => (await listEndpoints(services)).find((need) => need.id === id),
  },
  {
    name: "books",
    prefix: "book",
    scope: "statements:read",
    kinds: ["book_difference"],
    list: async ({ chains }, after) => {
      const { books, nextAfter } = await chains.listOpenBooks({ limit: LIMIT, after });
      // A balance that no provider could read is told with its month alone.
      const differing = books.map((book) => ({
        id: book.id,
        need: book.difference === undefined ? undefined : describeBook(book),
      }));
      return { rows: differing, isEnd: nextAfter === "" };
    },
    find: async ({ chains }, id) => {
      const { book } = await chains.getBook({ id });
      return book && describeBook(book);
    },
  },
];
