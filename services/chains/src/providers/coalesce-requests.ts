// Receipts, transactions and blocks that many callers request one by one at the same time leave as one request.
import { createBatcher } from "@pay/batching";
import type { Reader } from "./reader.ts";
import { REQUEST_FAULTS, RpcError } from "./rpc-error.ts";

/** A slow batch gives its slot to the next one, so that one slow response delays few. */
const TOGETHER = { itemsMax: 50, inFlightMax: 4, slotMaxMs: 200, slowMax: 28, waitMaxMs: 60_000 };

export function coalesceRequests(reader: Reader): Reader {
  const numbered = coalesce(reader.block, reader.blocks);
  return {
    ...reader,
    receipt: coalesce(reader.receipt, reader.receipts),
    transaction: coalesce(reader.transaction, reader.transactions),
    block: (at) => (typeof at === "number" ? numbered(at) : reader.block(at)),
  };
}

/** Where a batch fails because of one of its requests, each is sent by itself. */
function coalesce<Q, A>(
  one: (request: Q) => Promise<A>,
  many: (requests: readonly Q[]) => Promise<A[]>,
): (request: Q) => Promise<A> {
  const batch = createBatcher(async (requests: Q[]): Promise<PromiseSettledResult<A>[]> => {
    if (requests.length > 1) {
      try {
        return (await many(requests)).map((value) => ({ status: "fulfilled", value }));
      } catch (error) {
        if (!(error instanceof RpcError && REQUEST_FAULTS.has(error.fault))) throw error;
      }
    }
    return Promise.allSettled(requests.map(one));
  }, TOGETHER);
  return async (request) => {
    const answered = await batch(request);
    if (answered.status === "rejected") throw answered.reason;
    return answered.value;
  };
}
