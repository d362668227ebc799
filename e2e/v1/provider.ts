// A provider of the local chain whose address contains keys, like commercial providers. It can fail in the ways they
// fail, with its own address in the error message.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const TIMEOUT_MS = 5_000;

export interface Provider {
  /** The address, with the keys in it. */
  readonly url: string;
  /** From now on its calls go to this node; before that they fail. */
  leadTo(nodeUrl: string): void;
  fail(how: "refuses" | "breaks" | undefined): void;
  /** How many calls carried the keys. */
  readonly calls: { answered: number; failed: number };
  stop(): Promise<void>;
}

export async function startProvider(keys: { path: string; query: string }): Promise<Provider> {
  let node: string | undefined;
  let failure: "refuses" | "breaks" | undefined;
  const calls = { answered: 0, failed: 0 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    try {
      if (failure === "breaks") throw new Error("broken");
      if (failure === "refuses" || node === undefined) {
        calls.failed++;
        response.writeHead(429).end(JSON.stringify({ error: `too many requests to ${url}` }));
        return;
      }
      const answer = await fetch(node, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: Buffer.concat(chunks),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, { "Content-Type": "application/json" }).end(bytes);
      calls.answered++;
    } catch {
      calls.failed++;
      request.socket.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v2/${keys.path}?apikey=${keys.query}`;
  return {
    url,
    calls,
    leadTo: (nodeUrl) => {
      node = nodeUrl;
    },
    fail: (how) => {
      failure = how;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
