// Counts the calls to a node: a loopback proxy in front of it, which changes nothing.
import { createServer } from "node:http";

export interface CountingNode {
  url: string;
  /** HTTP requests so far. */
  requests(): number;
  stop(): Promise<void>;
}

export async function startCountingNode(target: string): Promise<CountingNode> {
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = { "content-type": "application/json" };
    const answered = await fetch(target, { method: "POST", headers, body: Buffer.concat(chunks) });
    response.end(Buffer.from(await answered.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
