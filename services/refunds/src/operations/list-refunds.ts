import { pageOf } from "@pay/database";
import type { ListRefundsRequest, Refund as Message, RefundOwner } from "@pay/proto";
import { Failure, type Tenant, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { type Refund, STATUSES } from "../domain/refund.ts";
import type { Prisma } from "../generated/prisma/client.ts";
import { toMessage } from "../wire.ts";

/** Newest first, ids breaking ties; the page and its total are of one snapshot. */
export const listRefunds = async (
  { prisma }: Deps,
  request: ListRefundsRequest,
): Promise<{ refunds: Message[]; total: bigint; nextAfter: string }> => {
  const tenant = tenantOf(request.tenant);
  const { page, limit, after } = pageOf(request.page);
  const within = boundsOf(tenant, request);
  const where = { ...within, ...statusOf(request) };
  const beyond = after === "" ? {} : await olderThan(prisma, within, after);
  const [found, total] = await prisma.$transaction(
    [
      prisma.refund.findMany({
        where: { ...where, ...beyond },
        orderBy: [{ created_at: "desc" }, { id: "desc" }],
        skip: after === "" ? (page - 1) * limit : 0,
        // One more than asked tells whether the list goes on.
        take: limit + 1,
      }),
      prisma.refund.count({ where }),
    ],
    { isolationLevel: "RepeatableRead" },
  );
  const rows = found.slice(0, limit);
  return {
    refunds: rows.map((row) => toMessage(fromRow(row))),
    total: BigInt(total),
    nextAfter: found.length > limit ? (rows.at(-1)?.id ?? "") : "",
  };
};

/** What an item never leaves: its project, its payment, its shopper. */
const boundsOf = (
  { projectId, mode }: Tenant,
  { paymentId, owner }: ListRefundsRequest,
): Prisma.RefundWhereInput => ({
  project_id: projectId,
  mode,
  ...(paymentId === undefined ? {} : { payment_id: paymentId }),
  // Under a name of its own, because the place where a walk goes on has an OR, too.
  ...(owner === undefined ? {} : { AND: ownedBy(owner) }),
});

const statusOf = ({ statuses }: ListRefundsRequest): Prisma.RefundWhereInput => {
  const unknown = statuses.find((status) => !(STATUSES as string[]).includes(status));
  if (unknown !== undefined) {
    throw new Failure("invalid_argument", `status must be one of ${STATUSES.join(", ")}`);
  }
  return statuses.length === 0 ? {} : { status: { in: statuses } };
};

/** A shopper without wallet and customers owns nothing. */
const ownedBy = ({ walletAddress, customerIds }: RefundOwner): Prisma.RefundWhereInput => {
  const wallet = walletAddress.toLowerCase();
  return {
    OR: [
      ...(wallet === "" ? [] : [{ payer_address: wallet }, { sender_address: wallet }]),
      { customer_id: { in: customerIds } },
    ],
  };
};

/** Everything behind the last item the caller has: walking by it neither repeats nor skips while rows are added. */
const olderThan = async (
  prisma: Deps["prisma"],
  where: Prisma.RefundWhereInput,
  after: string,
): Promise<Prisma.RefundWhereInput> => {
  const seen = await prisma.refund.findFirst({
    where: { ...where, id: after },
    select: { created_at: true, id: true },
  });
  if (seen === null) {
    throw new Failure("invalid_argument", "after must be the id of an item of this list");
  }
  return {
    OR: [
      { created_at: { lt: seen.created_at } },
      { created_at: seen.created_at, id: { lt: seen.id } },
    ],
  };
};

const fromRow = (row: Prisma.RefundGetPayload<object>): Refund => ({
  ...row,
  status: row.status as Refund["status"],
  base_amount: BigInt(row.base_amount.toFixed()),
  payment_base_amount: BigInt(row.payment_base_amount.toFixed()),
  refunded_base_amount: BigInt(row.refunded_base_amount.toFixed()),
});
