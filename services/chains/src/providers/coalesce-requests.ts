// Receipts and blocks that are asked for one by one, by many at the same time.
import { createBatcher } from "@pay/batching";
import type { Reader } from "./reader.ts";
import { FAULTS_OF_THE_QUESTION, RpcError } from "./rpc-error.ts";

/** A list of questions that takes long gives its place to the next one, so that one slow answer holds up few. */
const TOGETHER = { itemsMax: 50, inFlightMax: 4, slotMaxMs: 200, slowMax: 28, waitMaxMs: 60_000 };

/** Receipts and blocks that are asked for at the same time leave as one request. */
export function asksTogether(reader: Reader): Reader {
  const numbered = together(reader.block, reader.blocks);
  return {
    ...reader,
    receipt: together(reader.receipt, reader.receipts),
    block: (at) => (typeof at === "number" ? numbered(at) : reader.block(at)),
  };
}

/**
 * Questions of one kind that are asked while others of it are under way leave as one request. Where one of them has no
 * answer, each is asked by itself.
 */
function together<Q, A>(
  one: (question: Q) => Promise<A>,
  many: (questions: readonly Q[]) => Promise<A[]>,
): (question: Q) => Promise<A> {
  const ask = createBatcher(async (questions: Q[]): Promise<PromiseSettledResult<A>[]> => {
    if (questions.length > 1) {
      try {
        return (await many(questions)).map((value) => ({ status: "fulfilled", value }));
      } catch (error) {
        if (!(error instanceof RpcError && FAULTS_OF_THE_QUESTION.has(error.fault))) throw error;
      }
    }
    return Promise.allSettled(questions.map(one));
  }, TOGETHER);
  return async (question) => {
    const answered = await ask(question);
    if (answered.status === "rejected") throw answered.reason;
    return answered.value;
  };
}
