// The recipients of native coin, in the order of their addresses, and what they gained untraced.
import { type Address, type Amount, type ChainId, toAddress, toAmount } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { AccountBlock } from "../../providers/decode-logs.ts";

interface NativeRecipients {
  /** With the least amount of their open payments. */
  open: Map<Address, Amount>;
  ended: Address[];
  /** The next page begins behind it; empty after the last one. */
  last: string;
}

export async function listNativeRecipients(
  pool: Pool,
  page: { chainId: ChainId; after: string; now: Date; max: number },
): Promise<NativeRecipients> {
  const rows = await sql.listNativeRecipients(pool, page);
  const open = rows.flatMap(({ recipient, least }) =>
    least === null ? [] : [[toAddress(recipient), toAmount(least)] as const],
  );
  const ended = rows.flatMap(({ recipient, least }) =>
    least === null ? toAddress(recipient) : [],
  );
  const last = rows.length < page.max ? undefined : rows.at(-1)?.recipient;
  return { open: new Map(open), ended, last: last ?? "" };
}

/** What recipients gained in a block beyond direct transfers. */
export interface Gain {
  block: AccountBlock;
  amounts: ReadonlyMap<Address, bigint>;
}

/** Returns how many payments ask for a hash from now on. */
export async function markUntraced(
  pool: Pool,
  { chainId, gain: { block, amounts }, now }: { chainId: ChainId; gain: Gain; now: Date },
): Promise<number> {
  const block_time = new Date(block.timestamp * 1_000);
  const rows = await sql.markUntraced(pool, {
    chainId,
    gains: [...amounts].map(([recipient, value]) => ({
      recipient,
      value: toAmount(value),
      block_time,
    })),
    now,
  });
  return rows.length;
}
