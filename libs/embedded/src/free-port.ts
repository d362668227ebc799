import { createServer } from "node:net";

// Below the range from which systems lend ports to outgoing connections: a port from that range may be lent to
// anybody between now and the moment it is taken.
const FIRST = 15_000;
const COUNT = 15_000;
const TRIES_MAX = 50;

/** A port nobody listens on at this moment; the caller should take it soon. */
export const freePort = async (host = "127.0.0.1"): Promise<number> => {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await portOf(port, host).catch(() => undefined)) return port;
  }
  return portOf(0, host);
};

/** Refuses a port that is already taken, in words an operator can act on. */
export const requireFreePort = async (port: number, host = "127.0.0.1"): Promise<number> => {
  try {
    return await portOf(port, host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      code === "EADDRINUSE"
        ? `port ${port} on ${host} is taken by another program`
        : `port ${port} on ${host} cannot be used (${code})`,
    );
  }
};

const portOf = (port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
