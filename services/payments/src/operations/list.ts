// What the list operations share: one answer per item, and one bad item never fails another.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PaymentSchema } from "@pay/proto";
import { asFailure, Failure, toItemFailure } from "@pay/rpc";

export type Answer =
  | Failure
  | { payment: MessageInitShape<typeof PaymentSchema>; replayed?: boolean };

/** An answer as one item of a list message. */
export const toResult = (answer: Answer) =>
  answer instanceof Failure
    ? { result: { case: "failure" as const, value: toItemFailure(answer) } }
    : {
        result: { case: "payment" as const, value: answer.payment },
        replayed: answer.replayed ?? false,
      };

/**
 * Runs a statement for a whole list. Where it fails for a reason of its data, the items are run one by one, so
 * that the fault stays with the item that has it.
 */
export const eachAlone = async <T>(
  items: T[],
  run: (list: T[]) => Promise<Set<string>>,
): Promise<{ done: Set<string>; faults: Map<T, Failure> }> => {
  const faults = new Map<T, Failure>();
  if (items.length === 0) return { done: new Set(), faults };
  try {
    return { done: await run(items), faults };
  } catch (error) {
    if (items.length === 1 || !isFaultOfData(error)) throw error;
  }
  const done = new Set<string>();
  for (const item of items) {
    try {
      for (const id of await run([item])) done.add(id);
    } catch (error) {
      if (!isFaultOfData(error)) throw error;
      faults.set(item, asFailure(error));
    }
  }
  return { done, faults };
};

// SQLSTATE classes 22 (data) and 23 (constraints); everything else would fail for every item alike.
const isFaultOfData = (error: unknown): boolean =>
  /^2[23]/.test(String((error as { code?: unknown }).code ?? ""));
