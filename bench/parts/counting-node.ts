// Counts the calls to a node: a loopback proxy in front of it, which changes nothing.
import { createServer } from "node:http";

export interface Counted {
  /** HTTP requests, by the methods in them. */
  requests: ReadonlyMap<string, number>;
  /** Calls in them, by method. */
  calls: ReadonlyMap<string, number>;
}

export interface CountingNode {
  url: string;
  /** So far; what is counted from then on begins anew. */
  take(): Counted;
  stop(): Promise<void>;
}

interface Asked {
  method: string;
  params: readonly unknown[];
}

/** The question for the newest block is one of its own. */
function getName({ method, params }: Asked): string {
  return params[0] === "latest" ? `${method}(latest)` : method;
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

export async function startCountingNode(target: string): Promise<CountingNode> {
  let requests = new Map<string, number>();
  let calls = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const asked = JSON.parse(body.toString()) as Asked | Asked[];
    const names = (Array.isArray(asked) ? asked : [asked]).map(getName);
    for (const name of names) add(calls, name);
    add(requests, [...new Set(names)].toSorted().join("+"));
    const headers = { "content-type": "application/json" };
    const answered = await fetch(target, { method: "POST", headers, body });
    response.end(Buffer.from(await answered.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    take: () => {
      const counted = { requests, calls };
      requests = new Map();
      calls = new Map();
      return counted;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
