// A node whose chain stands still, in a process of its own: what the real one answered once is kept as the bytes that
// are sent, so that a bench measures who asks and not who is asked. Zipped where that is accepted, as providers do.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { servePart } from "./child.ts";

interface Asked {
  id: number;
  method: string;
  params: readonly unknown[];
}

interface Remembered {
  plain: Buffer;
  zipped: Buffer;
}

function toBytes(text: string): Remembered {
  const plain = Buffer.from(text);
  return { plain, zipped: gzipSync(plain) };
}

/** A file of several zipped parts is one zipped file, so the parts are zipped once. */
function joined(parts: readonly (string | Remembered)[], isZipped: boolean): Buffer {
  return Buffer.concat(
    parts.map((part) => {
      if (typeof part !== "string") return isZipped ? part.zipped : part.plain;
      return isZipped ? gzipSync(part, { level: 0 }) : Buffer.from(part);
    }),
  );
}

function getKey({ method, params }: Asked): string {
  return `${method} ${JSON.stringify(params)}`;
}

async function askNode(target: string, asked: readonly Asked[]): Promise<Map<number, object>> {
  if (asked.length === 0) return new Map();
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(asked.map((one) => ({ jsonrpc: "2.0", ...one })));
  const answered = await fetch(target, { method: "POST", headers, body });
  const answers = (await answered.json()) as { id: number }[];
  return new Map(answers.map(({ id, ...answer }) => [id, answer]));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

servePart(async ({ target }: { target: string }) => {
  const known = new Map<string, Remembered>();

  async function learn(asked: readonly Asked[]): Promise<void> {
    const unknown = asked.filter((one) => !known.has(getKey(one)));
    const answers = await askNode(target, unknown);
    for (const one of unknown) {
      // All but the first brace: the number of the question comes before.
      known.set(getKey(one), toBytes(JSON.stringify(answers.get(one.id) ?? {}).slice(1)));
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const question = JSON.parse(await readBody(request)) as Asked | Asked[];
    const asked = Array.isArray(question) ? question : [question];
    await learn(asked);
    const parts = asked.flatMap((one, at) => [
      `${at > 0 ? "," : ""}{"id":${one.id},`,
      known.get(getKey(one)) as Remembered,
    ]);
    const isZipped = request.headers["accept-encoding"]?.includes("gzip") === true;
    const body = joined(Array.isArray(question) ? ["[", ...parts, "]"] : parts, isZipped);
    response.setHeader("content-type", "application/json");
    if (isZipped) response.setHeader("content-encoding", "gzip");
    response.end(body);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}` };
});
