// How many requests wait for a block at a time, so that nobody takes the places of all others.
import { Failure } from "@pay/failures";
import type { Payment } from "@pay/proto";

const WAITING_MAX = { payment: 10, project: 100, process: 500 };
const waiting = new Map<string, number>();

/** Takes a place in each queue or in none; what it returns gives them back. */
export function takePlace({ id, projectId }: Pick<Payment, "id" | "projectId">): () => void {
  const queues = [
    [id, WAITING_MAX.payment],
    [projectId, WAITING_MAX.project],
    ["", WAITING_MAX.process],
  ] as const;
  if (queues.some(([name, max]) => (waiting.get(name) ?? 0) >= max)) {
    throw new Failure("service_overloaded", "Too many requests wait for a block; try again later");
  }
  for (const [name] of queues) waiting.set(name, (waiting.get(name) ?? 0) + 1);
  return () => {
    for (const [name] of queues) {
      const left = (waiting.get(name) ?? 0) - 1;
      if (left > 0) waiting.set(name, left);
      else waiting.delete(name);
    }
  };
}
