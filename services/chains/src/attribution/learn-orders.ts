// Learns which payments are open at wallets before anything is decided there. A customer can pay only after the
// creation was answered, so the payments as they are now, after the block was seen, hold every one that a new transfer
// can be meant for. Of a wallet that was asked for before, only those that changed since are answered.
import type { Runtime } from "@pay/process";
import type { FindOpenPaymentsResponse, Mode, Position } from "@pay/proto";
import type { Pool } from "pg";
import type { Wallet } from "./storage/queue.ts";
import { storeWatches } from "./storage/watches.ts";
import { toWatch } from "./to-watch.ts";

/** Beyond it the wallet that was asked for longest ago is asked for as a whole the next time. */
const WALLETS_MAX = 100_000;

export interface AskedWallet {
  projectId: string;
  mode: Mode;
  chainId: bigint;
  recipientAddress: string;
  since?: Position;
}

/** The payments that may still be paid at these wallets, and where the next request about each goes on. */
export type FindOpenPayments = (
  wallets: readonly AskedWallet[],
) => Promise<Pick<FindOpenPaymentsResponse, "payments" | "positions" | "hasMore">>;

/** False while payments is away. */
export type LearnOrders = (wallets: readonly Wallet[]) => Promise<boolean>;

export function createLearnOrders(
  { pool, runtime }: { pool: Pool; runtime: Pick<Runtime, "log"> },
  find: FindOpenPayments,
): LearnOrders {
  const positions = new Map<string, Position>();

  function toAsked([name, { projectId, mode, chainId, recipient }]: [string, Wallet]): AskedWallet {
    const since = positions.get(name);
    return {
      projectId,
      mode,
      chainId: BigInt(chainId),
      recipientAddress: recipient,
      ...(since && { since }),
    };
  }

  function keep(name: string, position: Position | undefined): void {
    positions.delete(name);
    if (position !== undefined) positions.set(name, position);
    const [oldest] = positions.keys();
    if (positions.size > WALLETS_MAX && oldest !== undefined) positions.delete(oldest);
  }

  return async (wallets) => {
    const places = new Map(wallets.map((wallet) => [getPlace(wallet), wallet]));
    try {
      for (let hasMore = places.size > 0; hasMore; ) {
        const answer = await find([...places].map(toAsked));
        await storeWatches(
          pool,
          answer.payments.map((payment) => toWatch(payment, "")),
        );
        for (const [n, name] of [...places.keys()].entries()) keep(name, answer.positions[n]);
        hasMore = answer.hasMore;
      }
      return true;
    } catch (error) {
      runtime.log.warn({ err: error }, "payments did not say which orders are open");
      return false;
    }
  };
}

/** Whatever the currency. */
function getPlace({ projectId, mode, chainId, recipient }: Wallet): string {
  return `${projectId} ${mode} ${chainId} ${recipient}`;
}
