// Makes many single calls travel as few lists. The first item leaves at the next turn of the event loop; what
// arrives while lists are under way leaves with the next one. No timer: alone, an item waits for nobody; under
// load, lists grow by themselves to what the receiver needs. An item that waited past its own time is not sent.
import { Failure } from "./errors.ts";

interface Waiting<T, R> {
  item: T;
  expiresAt: number;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

export const together = <T, R>(
  sendList: (items: T[]) => Promise<R[]>,
  options: { itemsMax?: number; inFlightMax?: number; queueMax?: number; waitMaxMs?: number } = {},
): ((item: T) => Promise<R>) => {
  const { itemsMax = 64, inFlightMax = 2, queueMax = 4_096, waitMaxMs = 3_000 } = options;
  const queue: Waiting<T, R>[] = [];
  let inFlight = 0;
  let scheduled = false;

  const schedule = () => {
    if (scheduled || queue.length === 0 || inFlight >= inFlightMax) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      while (queue.length > 0 && inFlight < inFlightMax) void send(next());
    });
  };

  const next = () => {
    const now = Date.now();
    const list = queue.splice(0, itemsMax);
    const late = list.filter(({ expiresAt }) => expiresAt < now);
    if (late.length === 0) return list;
    for (const { reject } of late)
      reject(new Failure("deadline_exceeded", "The request took too long"));
    return list.filter((waiting) => !late.includes(waiting));
  };

  const send = async (list: Waiting<T, R>[]) => {
    if (list.length === 0) return;
    inFlight++;
    try {
      const results = await sendList(list.map(({ item }) => item));
      if (results.length !== list.length)
        throw new Error("a list was answered with another length");
      list.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      for (const { reject } of list) reject(error);
    } finally {
      inFlight--;
      schedule();
    }
  };

  return (item) =>
    new Promise<R>((resolve, reject) => {
      if (queue.length >= queueMax) {
        return reject(new Failure("unavailable", "The service is overloaded"));
      }
      queue.push({ item, expiresAt: Date.now() + waitMaxMs, resolve, reject });
      schedule();
    });
};
