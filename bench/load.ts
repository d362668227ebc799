// A load generator light enough for a small machine: keep-alive sockets, requests written as bytes, answers cut
// by their Content-Length. Each connection has one request under way, as a client that waits for its answer does.
import { connect, type Socket } from "node:net";

export interface Load {
  port: number;
  connections: number;
  durationMs: number;
  /** The bytes of the nth request. */
  request: (n: number) => string;
  /** Requests per second over all connections together; absent: as fast as answers come. */
  ratePerS?: number;
}

export interface LoadResult {
  perS: number;
  p50Ms: number;
  p99Ms: number;
  /** How long each answer took, the shortest first. */
  timesMs: readonly number[];
  /** Answers by status. */
  statuses: Map<number, number>;
}

export async function runLoad(load: Load): Promise<LoadResult> {
  const times: number[] = [];
  const statuses = new Map<number, number>();
  const start = performance.now();
  const end = start + load.durationMs;
  let sent = 0;
  const getDueTime = pace(load, start);

  async function client() {
    const exchange = await openConnection(load.port);
    while (performance.now() < end) {
      const n = sent++;
      const due = getDueTime(n);
      if (due >= end) break;
      await waitUntil(due);
      // At a fixed rate the wait behind a slow answer counts too: a queue at the client is part of the latency.
      const from = load.ratePerS === undefined ? performance.now() : due;
      const status = await exchange.send(load.request(n));
      times.push(performance.now() - from);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    exchange.close();
  }

  await Promise.all(Array.from({ length: load.connections }, client));
  const seconds = (performance.now() - start) / 1_000;
  times.sort((a, b) => a - b);
  return {
    perS: times.length / seconds,
    statuses,
    timesMs: times,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  };
}

/** Of times in their order. */
function quantile(times: readonly number[], share: number): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

/** Over the answers of several runs: beyond the p99 of a short one lie too few. */
export function pooledP99Ms(results: readonly LoadResult[]): number {
  const times = results.flatMap(({ timesMs }) => timesMs).sort((a, b) => a - b);
  return quantile(times, 0.99);
}

function pace({ ratePerS }: Load, start: number) {
  return (n: number) => (ratePerS === undefined ? 0 : start + (n * 1_000) / ratePerS);
}

function waitUntil(due: number): Promise<void> | void {
  const left = due - performance.now();
  if (left > 0) return new Promise((resolve) => setTimeout(resolve, left));
}

interface Exchange {
  send(request: string): Promise<number>;
  close(): void;
}

async function openConnection(port: number): Promise<Exchange> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return exchangeOver(socket);
}

function exchangeOver(socket: Socket): Exchange {
  let waiting: PromiseWithResolvers<number> | undefined;
  let received = "";
  function fail(error: Error) {
    return waiting?.reject(error);
  }

  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the server closed the connection")));
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    received += chunk;
    const head = received.indexOf("\r\n\r\n");
    if (head < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, head))?.[1];
    if (length === undefined) return fail(new Error("an answer without Content-Length"));
    if (received.length < head + 4 + Number(length)) return;
    const status = Number(received.slice(9, 12));
    received = "";
    waiting?.resolve(status);
  });
  return {
    send: (request) => {
      waiting = Promise.withResolvers();
      if (socket.destroyed) fail(new Error("the server closed the connection"));
      else socket.write(request);
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}
