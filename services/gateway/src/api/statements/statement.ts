// The movements of a project within a time, each with the record it belongs to.

import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isFailureKind } from "@pay/failures";
import type { Movement } from "@pay/proto";
import { isId } from "@pay/values";
import type { Services } from "../../services/services.ts";
import { type Owned, toCells } from "./columns.ts";
import type { Format } from "./statement-format.ts";

const PAGE = 200;
/** Records that are read at a time. */
const TOGETHER = 50;

export interface StatementTerms {
  from: Date;
  to: Date;
  columns: readonly string[];
  format: Format;
}

export async function* statementPieces(
  services: Services,
  { from, to, columns, format }: StatementTerms,
): AsyncGenerator<string> {
  let after = "";
  let head = format.head(columns);
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
      return format.row(toCells(columns, { ...owner, movement }));
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
    if (isId("pay", id)) return { ...unknownOwner(id), ...(await readPayment(services, id)) };
    if (isId("refund", id)) {
      const { refund } = await services.refunds.getRefund({ id });
      if (refund === undefined) return unknownOwner(id);
      const { paymentId, orderId = null } = refund;
      const ofPayment = await readPayment(services, paymentId);
      return { ...ofPayment, type: "refund", paymentId, orderId };
    }
  } catch (error) {
    if (!isFailureKind("not_found", error)) throw error;
  }
  return unknownOwner(id);
}

async function readPayment({ payments }: Services, id: string) {
  const payment = await payments.getPayment({ id });
  const { orderId = null, displayAmount, displayCurrency, metadataJson } = payment;
  return { orderId, displayAmount, displayCurrency, metadataJson };
}

/** The money has moved, whatever has become of the record. */
function unknownOwner(id: string): Owned {
  if (isId("pay", id)) return { type: "payment", paymentId: id, orderId: null };
  const type = isId("refund", id) ? "refund" : "settlement";
  return { type, paymentId: null, orderId: null };
}
