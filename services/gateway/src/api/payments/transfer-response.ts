import type { Transfer } from "@pay/proto";
import { toAmount, toDecimal } from "@pay/values";
import { z } from "zod";
import { isoTime, isoTimeShape } from "../field-values.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";

/** A transfer in the currency of what it counts for. */
interface Counted {
  transfer: Transfer;
  decimals: number;
}

const FIELDS = {
  txHash: { schema: z.string(), of: ({ transfer }: Counted) => transfer.txHash },
  // Among the logs of its own transaction: the place in a block changes when the chain is reorganised.
  logIndex: {
    schema: z.int().nullable(),
    of: ({ transfer }: Counted) => transfer.logIndex ?? null,
  },
  from: { schema: z.string(), of: ({ transfer }: Counted) => transfer.fromAddress },
  to: { schema: z.string(), of: ({ transfer }: Counted) => transfer.toAddress },
  amount: {
    schema: z.string(),
    of: ({ transfer, decimals }: Counted) => toDecimal(toAmount(transfer.baseAmount), decimals),
  },
  blockNumber: { schema: z.int(), of: ({ transfer }: Counted) => Number(transfer.blockNumber) },
  minedAt: { schema: isoTimeShape, of: ({ transfer }: Counted) => isoTime(transfer.minedAt) },
  // Null while what has arrived is not enough.
  confirmedAt: {
    schema: isoTimeShape.nullable(),
    of: ({ transfer }: Counted) => isoTime(transfer.confirmedAt),
  },
};

const NAMES = listNames(FIELDS);

export const transferShape = buildShape(FIELDS, NAMES);
export function renderTransfer(transfer: Transfer, decimals: number) {
  return pick(FIELDS, NAMES, { transfer, decimals });
}
