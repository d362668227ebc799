import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { NEWEST_FIRST } from "@pay/database";
import type { ListPaymentsRequest, ListPaymentsResponseSchema, PaymentOwner } from "@pay/proto";
import { Failure } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import type { Payment } from "../domain/payment.ts";
import type { Prisma } from "../generated/prisma/client.ts";
import { toMessage } from "../wire.ts";
import { tenantOf } from "./list.ts";

type Tenant = ReturnType<typeof tenantOf>;

const LIMIT = 20;

/** Newest first, ids breaking ties; the page and its total are of one instant. */
export const listPayments = async (
  deps: Deps,
  request: ListPaymentsRequest,
): Promise<MessageInitShape<typeof ListPaymentsResponseSchema>> => {
  const tenant = tenantOf(request.tenant);
  const where = filterOf(tenant, request);
  const { page: number = 1, limit = LIMIT } = request.page ?? {};
  const after = await seenUpTo(deps, tenant, request);
  const page = deps.prisma.payment.findMany({
    where: after === undefined ? where : { AND: [where, after] },
    orderBy: [...NEWEST_FIRST],
    take: limit,
    skip: after === undefined ? (number - 1) * limit : 0,
  });
  const [rows, total] = await deps.prisma.$transaction(
    [page, countOf(deps, tenant, request, where)],
    {
      isolationLevel: "RepeatableRead",
    },
  );
  return {
    payments: rows.map((row) => toMessage(fromRow(row))),
    total: typeof total === "number" ? BigInt(total) : (total._sum.payments ?? 0n),
    nextAfter: rows.length === limit ? (rows.at(-1)?.id ?? "") : "",
  };
};

const filterOf = (tenant: Tenant, request: ListPaymentsRequest): Prisma.PaymentWhereInput => ({
  project_id: tenant.projectId,
  mode: tenant.mode,
  ...(request.statuses.length === 0 ? {} : { status: { in: request.statuses } }),
  ...(request.variant === undefined ? {} : { variant: request.variant }),
  ...(request.orderId === undefined ? {} : { order_id: request.orderId }),
  ...(request.chainId === undefined ? {} : { chain_id: request.chainId }),
  ...(request.txHash === undefined ? {} : { tx_hash: request.txHash }),
  ...(request.customerId === undefined ? {} : { customer_id: request.customerId }),
  ...createdBetween(request),
  ...ownedBy(request.owner),
});

/** A shopper without wallet and customers owns nothing. */
const ownedBy = (owner: PaymentOwner | undefined): Prisma.PaymentWhereInput => {
  if (owner === undefined) return {};
  const { walletAddress, customerIds } = owner;
  const wallet = walletAddress.toLowerCase();
  return {
    OR: [
      ...(wallet === "" ? [] : [{ payer_address: wallet }, { sender_address: wallet }]),
      ...(customerIds.length === 0 ? [] : [{ customer_id: { in: customerIds } }]),
    ],
  };
};

const createdBetween = ({ createdFrom, createdTo }: ListPaymentsRequest) => {
  if (createdFrom === undefined && createdTo === undefined) return {};
  return {
    created_at: {
      ...(createdFrom === undefined ? {} : { gte: timestampDate(createdFrom) }),
      ...(createdTo === undefined ? {} : { lte: timestampDate(createdTo) }),
    },
  };
};

/** The kept totals know project, mode, variant and status; any finer filter is counted. */
const countOf = (
  deps: Deps,
  tenant: Tenant,
  request: ListPaymentsRequest,
  where: Prisma.PaymentWhereInput,
) => {
  const { orderId, chainId, txHash, customerId, createdFrom, createdTo, owner } = request;
  const finer = [orderId, chainId, txHash, customerId, createdFrom, createdTo, owner];
  if (finer.some((value) => value !== undefined)) return deps.prisma.payment.count({ where });
  return deps.prisma.paymentTotal.aggregate({
    _sum: { payments: true },
    where: {
      project_id: tenant.projectId,
      mode: tenant.mode,
      ...(request.statuses.length === 0 ? {} : { status: { in: request.statuses } }),
      ...(request.variant === undefined ? {} : { variant: request.variant }),
    },
  });
};

/** Everything behind the last item the caller has; walking by it neither repeats nor skips while rows are added. */
const seenUpTo = async (
  deps: Deps,
  tenant: Tenant,
  { page, owner }: ListPaymentsRequest,
): Promise<Prisma.PaymentWhereInput | undefined> => {
  if (!page?.after) return undefined;
  const last = await deps.prisma.payment.findFirst({
    where: { id: page.after, project_id: tenant.projectId, mode: tenant.mode, ...ownedBy(owner) },
    select: { id: true, created_at: true },
  });
  if (last === null) {
    throw new Failure("invalid_argument", "after must be the id of a payment of this project");
  }
  return {
    created_at: { lte: last.created_at },
    NOT: { created_at: last.created_at, id: { gte: last.id } },
  };
};

const fromRow = (row: Prisma.PaymentGetPayload<object>): Payment => ({
  ...row,
  status: row.status as Payment["status"],
  base_amount: BigInt(row.base_amount.toFixed()),
  received_base_amount:
    row.received_base_amount === null ? null : BigInt(row.received_base_amount.toFixed()),
});
