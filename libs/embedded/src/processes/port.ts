// Ports for servers that need a fixed one, because they do not report which one the system gave them or must come back
// under the one they had. Between the choice and the bind another program may take it: then the server is started on
// another one. Processes of ours cannot meet: each holds the UDP port of the same number until it ends, also while its
// server is down between a kill and the next start, and the system gives it back however the process ends.
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";

// Below the range from which systems lend ports to outgoing connections.
const FIRST = 15_000;
const END = 30_000;
const DRAWS_MAX = 200;
const STARTS_MAX = 10;
const HOST = "127.0.0.1";

/** A server cannot have its port; the message is one an operator can act on. */
export class PortTaken extends Error {
  readonly port: number;
  constructor(port: number) {
    super(`port ${port} on ${HOST} is taken by another program`);
    this.port = port;
  }
}

/** Whether the output of a server means that it could not bind its port, in any language of server. */
export function saysPortTaken(text: string): boolean {
  return /address already in use/i.test(text);
}

const held = new Set<number>();

/** A port on which no program listens, and on which no other process of ours will before this one ends. */
export async function leasePort(): Promise<number> {
  for (let draw = 0; draw < DRAWS_MAX; draw++) {
    const port = randomInt(FIRST, END);
    if (!held.has(port) && (await hold(port)) && !(await isTaken(port))) return port;
  }
  throw new Error(`no port from ${FIRST} to ${END} on ${HOST} is free`);
}

/** Starts a server on the wanted port, else on one that is leased for it; then also on another when that is taken. */
export async function onPort<T>(
  wanted: number | undefined,
  start: (port: number) => Promise<T>,
): Promise<T> {
  if (wanted) return start(await requirePort(wanted));
  for (let starts = 1; ; starts++) {
    const port = await leasePort();
    try {
      return await start(port);
    } catch (error) {
      const another = error instanceof PortTaken && error.port === port && starts < STARTS_MAX;
      if (!another) throw error;
    }
  }
}

async function requirePort(port: number): Promise<number> {
  const isOurs = port < FIRST || port >= END || held.has(port) || (await hold(port));
  if (!isOurs || (await isTaken(port))) throw new PortTaken(port);
  return port;
}

/** Whether a program listens there now. */
export function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", ({ code, message }: NodeJS.ErrnoException) =>
      code === "EADDRINUSE"
        ? resolve(true)
        : reject(new Error(`port ${port} on ${HOST} cannot be used: ${message}`)),
    );
    server.listen(port, HOST, () => server.close(() => resolve(false)));
  });
}

/** False when another process of ours holds it. */
function hold(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const lease = createSocket("udp4");
    lease.once("error", (error: NodeJS.ErrnoException) => {
      lease.close();
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    lease.bind({ port, address: HOST, exclusive: true }, () => {
      lease.unref();
      held.add(port);
      resolve(true);
    });
  });
}
