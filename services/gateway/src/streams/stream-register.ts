// The streams that are open, by the payment that each follows, and the share of them that a payment, an address and a
// project may have.
import { Gauge } from "prom-client";

export interface Follower {
  readonly paymentId: string;
  readonly projectId: string;
  /** Of the records about the payment. */
  readonly key: string;
  /** Network of the client. */
  readonly address: string;
}

export interface StreamShares {
  perPayment: number;
  perAddress: number;
  perProject: number;
}

const open = new Gauge({ name: "payment_streams_open", help: "Pages that follow a payment now" });

export function createStreamRegister<Stream extends Follower>(shares: StreamShares) {
  const byPayment = new Map<string, Set<Stream>>();
  const ofAddress = createCounts();
  const ofProject = createCounts();
  /** Events of keys without streams are not even decoded. */
  const ofKey = createCounts();
  let count = 0;

  return {
    add: (stream: Stream): void => {
      const { paymentId, projectId, key, address } = stream;
      const streams = byPayment.get(paymentId) ?? new Set();
      byPayment.set(paymentId, streams.add(stream));
      ofAddress.change(address, 1);
      ofProject.change(projectId, 1);
      ofKey.change(key, 1);
      open.set(++count);
    },
    remove: (stream: Stream): void => {
      const { paymentId, projectId, key, address } = stream;
      const streams = byPayment.get(paymentId);
      if (!streams?.delete(stream)) return;
      if (streams.size === 0) byPayment.delete(paymentId);
      ofAddress.change(address, -1);
      ofProject.change(projectId, -1);
      ofKey.change(key, -1);
      open.set(--count);
    },
    /** Whose share is used up, if any: a link, an address or a project cannot take the places of others. */
    findFullShare: ({ paymentId, projectId, address }: Follower): string | undefined => {
      const { perPayment, perAddress, perProject } = shares;
      if ((byPayment.get(paymentId)?.size ?? 0) >= perPayment) return "A payment";
      if (ofAddress.get(address) >= perAddress) return "An address";
      if (ofProject.get(projectId) >= perProject) return "A project";
      return undefined;
    },
    count: (): number => count,
    followsKey: (key: string): boolean => ofKey.get(key) > 0,
    ofPayment: (paymentId: string): Iterable<Stream> => byPayment.get(paymentId) ?? [],
    forEach: (act: (stream: Stream) => void): void => {
      for (const streams of byPayment.values()) for (const stream of streams) act(stream);
    },
  };
}

function createCounts() {
  const counts = new Map<string, number>();
  function get(name: string): number {
    return counts.get(name) ?? 0;
  }

  return {
    get,
    change: (name: string, by: 1 | -1): void => {
      const changed = get(name) + by;
      if (changed === 0) counts.delete(name);
      else counts.set(name, changed);
    },
  };
}
