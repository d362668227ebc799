// The streams that are open, by the payment that each follows.
import { Gauge } from "prom-client";

interface Follower {
  readonly paymentId: string;
  readonly projectId: string;
}

const open = new Gauge({ name: "payment_streams_open", help: "Pages that follow a payment now" });

export function createStreamRegister<Stream extends Follower>() {
  const byPayment = new Map<string, Stream[]>();
  /** How many streams there are of each project's payments: events of others are not even decoded. */
  const byProject = new Map<string, number>();
  let count = 0;

  function remove(stream: Stream): void {
    const { paymentId, projectId } = stream;
    const streams = byPayment.get(paymentId);
    if (!streams?.includes(stream)) return;
    if (streams.length === 1) byPayment.delete(paymentId);
    else byPayment.set(paymentId, without(streams, stream));
    const left = (byProject.get(projectId) ?? 1) - 1;
    if (left === 0) byProject.delete(projectId);
    else byProject.set(projectId, left);
    open.set(--count);
  }

  return {
    remove,
    add: (stream: Stream): void => {
      const { paymentId, projectId } = stream;
      // Most payments have one page, for which a set would be large.
      byPayment.set(paymentId, [...(byPayment.get(paymentId) ?? []), stream]);
      byProject.set(projectId, (byProject.get(projectId) ?? 0) + 1);
      open.set(++count);
    },
    count: (): number => count,
    followsProject: (projectId: string): boolean => byProject.has(projectId),
    ofPayment: (paymentId: string): readonly Stream[] => byPayment.get(paymentId) ?? [],
    forEach: (act: (stream: Stream) => void): void => {
      for (const streams of byPayment.values()) for (const stream of streams) act(stream);
    },
  };
}

function without<T>(list: readonly T[], gone: T): T[] {
  return list.filter((one) => one !== gone);
}
