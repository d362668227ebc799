// The transfers of the last minutes, to any recipient: a payment that is opened after its transfer was mined finds it
// here without a request to a provider.
import type { Address } from "@pay/values";
import type { RawTransfer } from "../providers/decode-logs.ts";

const KEPT_MS = 15 * 60_000;
/** About 15 MB of tokens and as much of native coin. Where more moves in that time, blocks are read again. */
const TRANSFERS_MAX = 40_000;

interface Part {
  /** Of the last block in it. */
  time: Date;
  transfers: readonly RawTransfer[];
}

export interface RecentTransfers {
  /** The transfers up to a block. The parts follow each other without a gap. */
  push(part: Part): void;
  /** Starts anew after the last block: what was in it and before is not kept. */
  restart(): void;
  /** Transfers to these recipients; undefined where blocks of that time and later are not all kept. */
  find(recipients: ReadonlySet<Address>, since: Date): RawTransfer[] | undefined;
}

export function createRecentTransfers(): RecentTransfers {
  let parts: Part[] = [];
  let count = 0;
  let start: Date | undefined;

  function drop() {
    const newest = parts.at(-1)?.time.getTime() ?? 0;
    while (parts[0] && (parts[0].time.getTime() < newest - KEPT_MS || count > TRANSFERS_MAX)) {
      start = parts[0].time;
      count -= parts[0].transfers.length;
      parts.shift();
    }
  }

  return {
    push: (part) => {
      parts.push(part);
      count += part.transfers.length;
      drop();
    },
    restart: () => {
      start = parts.at(-1)?.time ?? start;
      parts = [];
      count = 0;
    },
    find: (recipients, since) => {
      // The block that it starts after may have the same time.
      if (start === undefined || start >= since) return undefined;
      return parts.flatMap(({ transfers }) =>
        transfers.filter(({ recipient }) => recipients.has(recipient)),
      );
    },
  };
}
