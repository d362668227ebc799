import { connect, createServer, type Socket } from "node:net";

export interface Forward {
  port: number;
  /** Ends all connections and takes no new one, until it is mended. */
  cut(): void;
  /** Nothing passes and no connection ends, as where packets are dropped, until it is mended. */
  hold(): void;
  mend(): void;
  stop(): Promise<void>;
}

/** Forwards connections from the network to a port on loopback. The target port may be known only after the start. */
export async function startForward(host: string, targetPort: () => number): Promise<Forward> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isHeld = false;
  /** Came while nothing passed. */
  const waiting = new Set<Socket>();
  function endAll(): void {
    for (const socket of [...sockets, ...waiting]) socket.destroy();
    waiting.clear();
  }

  function join(near: Socket): void {
    const far = connect(targetPort(), "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.once("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }

  const server = createServer({ pauseOnConnect: true }, (near) => {
    if (isCut) return void near.destroy();
    if (!isHeld) return join(near);
    near.on("error", () => near.destroy());
    near.once("close", () => waiting.delete(near));
    waiting.add(near);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, host, resolve);
  });
  const address = server.address() as { port: number };
  return {
    port: address.port,
    cut: () => {
      isCut = true;
      endAll();
    },
    hold: () => {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    mend: () => {
      isCut = false;
      isHeld = false;
      for (const socket of sockets) socket.resume();
      for (const near of waiting) join(near);
      waiting.clear();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        endAll();
      }),
  };
}
