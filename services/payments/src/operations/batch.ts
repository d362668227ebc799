// Lists of items: each has its own result, and a bad item never fails another.
import { runAllElseOneByOne } from "@pay/batching";
import { getSqlState, isFaultOfData, transaction } from "@pay/database";
import { asFailure, Failure, isFault, toItemFailure } from "@pay/failures";
import type { Log } from "@pay/process";
import type { Payment } from "@pay/proto";
import type { Pool, PoolClient } from "pg";
import type { RefundCheckInit } from "./check-refund.ts";

export type Answer =
  | Failure
  | { payment: Payment; replayed?: boolean; refundCheck?: RefundCheckInit | undefined };

/** A fault of an item is logged under the id of its request. */
export function toResults(
  { log }: { log: Log },
  requests: readonly { requestId: string }[],
  answers: readonly Answer[],
) {
  answers.forEach((answer, index) => {
    if (!(answer instanceof Failure) || !isFault(answer.errorCode)) return;
    const { requestId } = requests[index] ?? {};
    log.error({ err: answer, requestId, code: answer.errorCode }, "an item of a list failed");
  });
  return { results: answers.map(toResult) };
}

function toResult(answer: Answer) {
  return answer instanceof Failure
    ? { result: { case: "failure" as const, value: toItemFailure(answer) } }
    : {
        result: { case: "payment" as const, value: answer.payment },
        replayed: answer.replayed ?? false,
        ...(answer.refundCheck && { refundCheck: answer.refundCheck }),
      };
}

export function tryItem<T>(act: () => T): T | Failure {
  try {
    return act();
  } catch (error) {
    return asFailure(error);
  }
}

const LOCK_NOT_AVAILABLE = "55P03";
/** An item that is written alone waits for a lock no longer than its share of the deadline. */
const LOCK_WAIT_ALONE_MS = 30;

function isFaultOfItem(error: unknown): boolean {
  return isFaultOfData(error) || getSqlState(error) === LOCK_NOT_AVAILABLE;
}

/**
 * Writes a whole list, or item by item where bad data or a locked row would fail all of them. Returns the written
 * ids.
 */
export async function writeBatch<T>(
  { db: { pool } }: { db: { pool: Pool } },
  items: readonly T[],
  write: (db: Pool | PoolClient, list: readonly T[]) => Promise<Set<string>>,
): Promise<{ done: Set<string>; faults: Map<T, Failure> }> {
  function run(list: readonly T[]) {
    if (list.length === items.length) return write(pool, list);
    return transaction(pool, async (tx) => {
      await tx.query(`set local lock_timeout = ${LOCK_WAIT_ALONE_MS}`);
      return write(tx, list);
    });
  }

  const { results, faults } = await runAllElseOneByOne(items, { run, isFaultOfItem });
  return {
    done: new Set(results.flatMap((ids) => [...ids])),
    faults: new Map([...faults].map(([item, error]) => [item, asFailure(error)])),
  };
}
