// Finds records by what people have at hand. Each kind asks the index that its own list or reading uses, all at once;
// none is waited for longer than the bound.
import { isFailureKind } from "@pay/failures";
import type { ArrivedTransfer, Customer, Payment, Refund, Settlement } from "@pay/proto";
import { type IdPrefix, isAddress, isId, toAmount, toDecimal } from "@pay/values";
import { type Caller, mayUse, type Scope } from "../../keys/caller.ts";
import type { FindRequest } from "../../request-logs/entries.ts";
import type { Catalog } from "../../services/catalog.ts";
import { settleInTime } from "../../services/in-time.ts";
import type { Services } from "../../services/services.ts";
import { ANY_CUSTOMER } from "../../sessions/ownership.ts";
import { isoTime } from "../field-values.ts";
import { requireField } from "../response-fields.ts";
import type { Found, Kind } from "./response.ts";

const BOUND_MS = 200;

const PAGE = { page: 1, after: "" };
const NO_FILTER = {
  statuses: [],
  variant: undefined,
  orderId: undefined,
  chainId: undefined,
  createdFrom: undefined,
  createdTo: undefined,
  txHash: undefined,
  customerId: undefined,
  owner: undefined,
  payerAddress: undefined,
  needs: undefined,
  source: undefined,
  currency: undefined,
  recipientAddress: undefined,
  amountFrom: undefined,
  amountTo: undefined,
  failureCode: undefined,
  refunded: undefined,
  withClientSecret: false,
};

type Symbols = (chainId: bigint, currency: string) => string;

interface Search {
  services: Services;
  q: string;
  limit: number;
  getSymbol: Symbols;
  findRequest: FindRequest;
}

interface Lookup {
  kind: Kind;
  scope: Scope;
  find(search: Search): Promise<Found[]>;
}

function join(...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join(", ");
}

function describePayment(payment: Payment, getSymbol: Symbols): Found {
  const { id, amount, chainId, currency, status, orderId, createdAt } = payment;
  const title = `${amount} ${getSymbol(chainId, currency)}`.trim();
  return { kind: "payment", id, title, subtitle: join(status, orderId), at: isoTime(createdAt) };
}

function describeCustomer({ id, displayName, walletAddress, createdAt }: Customer): Found {
  const at = isoTime(createdAt);
  const title = displayName ?? walletAddress;
  return { kind: "customer", id, title, subtitle: displayName ? walletAddress : "", at };
}

function describeRefund(refund: Refund, getSymbol: Symbols): Found {
  const { id, amount, chainId, currency, status, orderId, paymentId, createdAt } = refund;
  const title = `${amount} ${getSymbol(chainId, currency)}`.trim();
  const subtitle = join(status, orderId);
  return { kind: "refund", id, title, subtitle, at: isoTime(createdAt), paymentId };
}

function describeSettlement(settlement: Settlement, getSymbol: Symbols): Found {
  const { id, amount, chainId, currency, status, destinationAddress, createdAt } = settlement;
  const title = `${amount} ${getSymbol(chainId, currency)}`.trim();
  const subtitle = join(status, destinationAddress);
  return { kind: "settlement", id, title, subtitle, at: isoTime(createdAt) };
}

function describeTransfer(arrived: ArrivedTransfer, getSymbol: Symbols): Found {
  const { id, chainId, currency, decimals, status, reason } = arrived;
  const { baseAmount, subjectId, minedAt } = requireField(arrived.transfer);
  const amount = toDecimal(toAmount(baseAmount), decimals);
  return {
    kind: "transfer",
    id,
    title: `${amount} ${getSymbol(chainId, currency)}`.trim(),
    subtitle: join(status, reason),
    at: isoTime(minedAt),
    ...(isId("pay", subjectId) && { paymentId: subjectId }),
  };
}

function findPayments(
  by: (q: string) => Partial<Record<"orderId" | "txHash" | "payerAddress", string>>,
): Lookup {
  return {
    kind: "payment",
    scope: "payments:read",
    find: async ({ services, q, limit, getSymbol }) => {
      const filter = { ...NO_FILTER, ...by(q), page: { ...PAGE, limit } };
      const { payments } = await services.payments.listPayments(filter);
      return payments.map((payment) => describePayment(payment, getSymbol));
    },
  };
}

function findCustomers(
  by: (q: string) => Partial<Record<"name" | "walletAddress", string>>,
): Lookup {
  return {
    kind: "customer",
    scope: "customers:read",
    find: async ({ services, q, limit }) => {
      const filter = { ...ANY_CUSTOMER, ...by(q), page: { ...PAGE, limit } };
      const { customers } = await services.customers.listCustomers(filter);
      return customers.map(describeCustomer);
    },
  };
}

const BY_ID = {
  pay: {
    kind: "payment",
    scope: "payments:read",
    find: async ({ services, q: id, getSymbol }) => [
      describePayment(await services.payments.getPayment({ id }), getSymbol),
    ],
  },
  cust: {
    kind: "customer",
    scope: "customers:read",
    find: async ({ services, q: id }) => {
      const { customer } = await services.customers.getCustomer({ id });
      return [describeCustomer(requireField(customer))];
    },
  },
  refund: {
    kind: "refund",
    scope: "refunds:read",
    find: async ({ services, q: id, getSymbol }) => {
      const { refund } = await services.refunds.getRefund({ id });
      return [describeRefund(requireField(refund), getSymbol)];
    },
  },
  stl: {
    kind: "settlement",
    scope: "settlements:read",
    find: async ({ services, q: id, getSymbol }) => {
      const { settlement } = await services.settlements.getSettlement({ id, forApproval: false });
      return [describeSettlement(requireField(settlement), getSymbol)];
    },
  },
  tr: {
    kind: "transfer",
    scope: "payments:read",
    find: async ({ services, q: id, getSymbol }) => {
      const { transfer } = await services.chains.getTransfer({ id });
      return [describeTransfer(requireField(transfer), getSymbol)];
    },
  },
  we: {
    kind: "webhook_endpoint",
    scope: "webhooks:read",
    find: async ({ services, q }) => {
      const { endpoint } = await services.webhooks.getEndpoint({ id: q });
      const { id, url, createdAt } = requireField(endpoint);
      return [
        { kind: "webhook_endpoint", id, title: url ?? id, subtitle: "", at: isoTime(createdAt) },
      ];
    },
  },
} satisfies Partial<Record<IdPrefix, Lookup>>;

const REQUESTS: Lookup = {
  kind: "request",
  scope: "logs:read",
  find: async ({ q: id, findRequest }) => {
    const request = await findRequest(id);
    if (request === undefined) return [];
    const { method, path, status_code, error_code, created_at } = request;
    const subtitle = join(String(status_code), error_code ?? "");
    const at = created_at.toISOString();
    return [{ kind: "request", id, title: `${method} ${path}`, subtitle, at }];
  },
};

const ORDERS = findPayments((orderId) => ({ orderId }));
const HASHES = findPayments((hash) => ({ txHash: hash.toLowerCase() }));
const PAYERS = findPayments((payerAddress) => ({ payerAddress }));
const NAMES = findCustomers((name) => ({ name }));
const WALLETS = findCustomers((walletAddress) => ({ walletAddress }));

function planLookups(q: string): readonly Lookup[] {
  const named = Object.entries(BY_ID).find(([prefix]) => isId(prefix as keyof typeof BY_ID, q));
  if (named !== undefined) return [named[1]];
  if (isAddress(q)) return [PAYERS, WALLETS, ORDERS];
  if (/^0x[0-9a-fA-F]{64}$/.test(q)) return [HASHES, ORDERS];
  return [ORDERS, NAMES, REQUESTS];
}

async function findOrNothing(finding: Promise<Found[]>): Promise<Found[]> {
  try {
    return await finding;
  } catch (error) {
    if (isFailureKind("not_found", error)) return [];
    throw error;
  }
}

async function readSymbols(catalog: Catalog): Promise<Symbols> {
  const chains = await catalog.chains();
  return (chainId, currency) => {
    const chain = chains.find((one) => one.chainId === chainId);
    if (currency === "native") return chain?.symbol ?? "";
    const address = currency.toLowerCase();
    return chain?.tokens.find((token) => token.address.toLowerCase() === address)?.symbol ?? "";
  };
}

export async function searchRecords(
  { caller, services }: { caller: Caller; services: Services },
  { catalog, findRequest }: { catalog: Catalog; findRequest: FindRequest },
  { q, limit }: { q: string; limit: number },
): Promise<{ found: Found[]; incomplete: Kind[] }> {
  const lookups = planLookups(q).filter(({ scope }) => mayUse(caller, scope));
  const symbols = readSymbols(catalog);
  const results = await settleInTime(
    BOUND_MS,
    lookups.map(async ({ kind, find }) => {
      // A request has no currency, so it is found while chains is away.
      const getSymbol = kind === "request" ? () => "" : await symbols;
      return findOrNothing(find({ services, q, limit, getSymbol, findRequest }));
    }),
  );
  const found = results.flatMap((one) => one ?? []);
  const unique = [...new Map(found.map((one) => [one.id, one])).values()];
  const missing = lookups.flatMap(({ kind }, at) => (results[at] === undefined ? [kind] : []));
  return { found: unique.slice(0, limit), incomplete: [...new Set(missing)] };
}
