import { connect, createServer, type Socket } from "node:net";

export interface Forward {
  port: number;
  stop(): Promise<void>;
}

/** Forwards connections from the network to a port on loopback. The target port may be known only after the start. */
export async function startForward(host: string, targetPort: () => number): Promise<Forward> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
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
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
