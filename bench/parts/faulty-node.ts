// A provider that fails for a share of the questions: a loopback proxy in front of a real node. A seed makes a run
// repeatable.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface FaultyNode {
  url: string;
  stop(): Promise<void>;
}

type Fault = (response: ServerResponse) => void;

const FAULTS: readonly Fault[] = [
  (response) => response.destroy(),
  (response) => {
    response.statusCode = 502;
    response.end("<html>bad gateway</html>");
  },
  (response) => response.end('{"jsonrpc":"2.0","id":'),
];

/** Numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Some answers are lost after the node has done what was asked. */
const LOST_AFTERWARDS = 0.5;

/** Gives a node the text of a request, and answers the text of its answer. */
export async function post(rpcUrl: string, body: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  return (await fetch(rpcUrl, { method: "POST", headers, body })).text();
}

export async function startFaultyNode(
  ask: (body: string) => Promise<string>,
  { share, seed }: { share: number; seed: number },
): Promise<FaultyNode> {
  const random = seeded(seed);
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const isFaulty = random() < share;
    const fault = FAULTS[Math.floor(random() * FAULTS.length)];
    if (isFaulty && random() > LOST_AFTERWARDS) return fault?.(response);
    const text = await ask(body);
    if (isFaulty) return fault?.(response);
    response.end(text);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
