// The movements of one day of a project, each with the record it belongs to.

import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isFailureKind } from "@pay/failures";
import type { Movement } from "@pay/proto";
import { isId, toAmount, toChainId, toDecimal } from "@pay/values";
import type { Services } from "../../services/services.ts";
import { ADDRESS, PAY_ID, TREASURY, TX_HASH } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";
import type { Cell, Format } from "./statement-format.ts";

const PAGE = 200;
/** Records that are read at a time. */
const TOGETHER = 20;

/** What a movement belongs to. */
interface Owned {
  type: "payment" | "refund" | "settlement";
  paymentId: string | null;
  orderId: string | null;
  displayAmount?: string | undefined;
  displayCurrency?: string | undefined;
}

interface Row extends Owned {
  movement: Movement;
}

const FIELDS = {
  recordedAt: {
    schema: shown.time(
      "Time at which the transfer was allocated; it decides the day of the statement.",
    ),
    of: (r) => shown.isoTime(r.movement.recordedAt),
  },
  minedAt: {
    schema: shown.time("Time of its block."),
    of: (r) => shown.isoTime(r.movement.minedAt),
  },
  type: {
    schema: shown.choice(
      ["payment", "refund", "settlement"],
      "`payment`, `refund` or `settlement`.",
      "payment",
    ),
    of: (r) => r.type,
  },
  id: { schema: shown.id("pay"), of: (r) => r.movement.subjectId },
  paymentId: {
    schema: shown.stringOrNull("Payment of the movement; null for a settlement.", PAY_ID),
    of: (r) => r.paymentId,
  },
  orderId: {
    schema: shown.stringOrNull(
      "Your own reference of the payment; null without one.",
      "order-1001",
    ),
    of: (r) => r.orderId,
  },
  amount: {
    schema: shown.amount,
    of: ({ movement }) => toDecimal(toAmount(movement.baseAmount), movement.decimals),
  },
  baseAmount: {
    schema: shown.string(
      "Amount in the smallest unit of the currency, as an integer string.",
      "12500000",
    ),
    of: (r) => r.movement.baseAmount,
  },
  currency: { schema: shown.currency, of: (r) => r.movement.currency },
  chainId: { schema: shown.chainId, of: (r) => toChainId(r.movement.chainId) },
  txHash: { schema: shown.string("Transaction hash.", TX_HASH), of: (r) => r.movement.txHash },
  logIndex: {
    schema: shown.integerOrNull(
      "Index of the log within its transaction; null for the native coin.",
      3,
    ),
    of: (r) => r.movement.logIndex ?? null,
  },
  blockNumber: {
    schema: shown.integer("Block of the transaction.", 19_000_000),
    of: (r) => Number(r.movement.blockNumber),
  },
  fromAddress: {
    schema: shown.string("Wallet that the money left.", ADDRESS),
    of: (r) => r.movement.fromAddress,
  },
  toAddress: {
    schema: shown.string("Wallet that received the money.", TREASURY),
    of: (r) => r.movement.toAddress,
  },
  displayAmount: {
    schema: shown.stringOrNull(
      "What the checkout page showed beside the whole amount of the payment; null without it.",
      "12.50",
    ),
    of: (r) => r.displayAmount ?? null,
  },
  displayCurrency: {
    schema: shown.stringOrNull("Its currency code of ISO 4217; null without it.", "EUR"),
    of: (r) => r.displayCurrency ?? null,
  },
} satisfies MessageFields<Row, "movement">;

const NAMES = listNames(FIELDS);

export const statementRow = buildShape("Statement", FIELDS, NAMES);

export async function* statementPieces(
  services: Services,
  { from, to }: { from: Date; to: Date },
  format: Format,
): AsyncGenerator<string> {
  let after = "";
  let head = format.head(NAMES);
  do {
    const { movements, nextAfter } = await services.chains.listMovements({
      from: timestampFromDate(from),
      to: timestampFromDate(to),
      limit: PAGE,
      after,
    });
    const owned = await findOwners(services, movements);
    const rows = movements.map((movement) => {
      const owner = owned.get(movement.subjectId) ?? unknownOwner(movement.subjectId);
      return format.row(pick(FIELDS, NAMES, { ...owner, movement }) as Record<string, Cell>);
    });
    yield head + rows.join("");
    head = "";
    after = nextAfter;
  } while (after !== "");
}

async function findOwners(
  services: Services,
  movements: readonly Movement[],
): Promise<Map<string, Owned>> {
  const ids = [...new Set(movements.map(({ subjectId }) => subjectId))];
  const owned = new Map<string, Owned>();
  for (let from = 0; from < ids.length; from += TOGETHER) {
    await Promise.all(
      ids.slice(from, from + TOGETHER).map(async (id) => {
        owned.set(id, await findOwner(services, id));
      }),
    );
  }
  return owned;
}

async function findOwner(services: Services, id: string): Promise<Owned> {
  try {
    if (isId("pay", id)) {
      const payment = await services.payments.getPayment({ id });
      const { orderId = null, displayAmount, displayCurrency } = payment;
      return { type: "payment", paymentId: id, orderId, displayAmount, displayCurrency };
    }
    if (isId("refund", id)) {
      const { refund } = await services.refunds.getRefund({ id });
      const { paymentId = null, orderId = null } = refund ?? {};
      return { type: "refund", paymentId, orderId };
    }
  } catch (error) {
    if (!isFailureKind("not_found", error)) throw error;
  }
  return unknownOwner(id);
}

/** The money has moved, whatever has become of the record. */
function unknownOwner(id: string): Owned {
  if (isId("pay", id)) return { type: "payment", paymentId: id, orderId: null };
  const type = isId("refund", id) ? "refund" : "settlement";
  return { type, paymentId: null, orderId: null };
}
