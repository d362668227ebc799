import { connect, createServer, type Socket } from "node:net";

export interface Forward {
  port: number;
  /** Ends all connections and takes no new one, until it is mended. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
}

/** Forwards connections from the network to a port on loopback. The target port may be known only after the start. */
export async function startForward(host: string, targetPort: () => number): Promise<Forward> {
  const sockets = new Set<Socket>();
  let isCut = false;
  function endAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  const server = createServer((near) => {
    if (isCut) return void near.destroy();
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
    mend: () => {
      isCut = false;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        endAll();
      }),
  };
}
