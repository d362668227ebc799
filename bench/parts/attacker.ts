// One actor in a process of its own that sends as much as it likes: requests, and streams that it never reads.
import { connect } from "node:net";
import { runLoad } from "../load.ts";
import { servePart } from "./child.ts";

const CONNECTIONS = 10;
const PAUSE_MS = 50;
/** Over all streams together, as often as other attacks ask; connections of an address are for the ingress to limit. */
const RECONNECTS_PER_S = 200;

export interface Attack {
  port: number;
  durationMs: number;
  /** Sent in turns. */
  requests?: readonly string[];
  /** Over all connections together. */
  ratePerS?: number;
  /** Opened at once, and again where they end; their answers are read slowly. */
  streams?: readonly string[];
}

servePart(async ({ port, durationMs, requests = [], ratePerS = 0, streams = [] }: Attack) => {
  const end = performance.now() + durationMs;
  const statuses: Record<number, number> = {};

  /** A server may close the connection of a request that it does not read to its end. */
  async function send(at: number): Promise<void> {
    for (let offset = at; ; offset += CONNECTIONS) {
      const left = end - performance.now();
      if (left <= 0) return;
      const result = await runLoad({
        port,
        connections: 1,
        durationMs: left,
        ratePerS: ratePerS / CONNECTIONS,
        request: (n) => requests[(offset + n) % requests.length] ?? "",
      }).catch(() => undefined);
      for (const [status, count] of result?.statuses ?? []) {
        statuses[status] = (statuses[status] ?? 0) + count;
      }
      await pause(PAUSE_MS);
    }
  }

  async function stream(request: string): Promise<void> {
    while (performance.now() < end) {
      const socket = connect({ port, host: "127.0.0.1" });
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      socket.on("error", () => {}).once("connect", () => socket.write(request));
      socket.once("data", (head) => {
        const status = Number(head.toString("latin1", 9, 12));
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === 200) socket.pause();
        else socket.destroy();
      });
      const timer = setTimeout(() => socket.destroy(), end - performance.now());
      await closed;
      clearTimeout(timer);
      await pause((streams.length / RECONNECTS_PER_S) * 1_000);
    }
  }

  const senders =
    requests.length === 0 ? [] : Array.from({ length: CONNECTIONS }, (_, at) => send(at));
  await Promise.all([...senders, ...streams.map(stream)]);
  return { statuses };
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
