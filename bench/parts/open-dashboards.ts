// Browsers with an open dashboard, as sockets in a process of their own: each follows the events of its project and
// asks each minute for what needs a person. Each request opens those of more projects, or closes all of them.
import { connect, type Socket } from "node:net";
import { runLoad } from "../load.ts";
import { servePart } from "./child.ts";

/** As many streams of events as a project may have. */
const PER_PROJECT = 10;
const NEEDS_EVERY_S = 60;
const ROUND_MS = 10_000;

export interface Dashboards {
  port: number;
  /** A key of each project; none closes all. */
  keys: readonly string[];
}

const open: Socket[] = [];

servePart(async ({ port, keys }: Dashboards) => {
  if (keys.length === 0) {
    for (const socket of open.splice(0)) socket.destroy();
    return undefined;
  }
  const all = keys.flatMap((key) => Array.from({ length: PER_PROJECT }, () => key));
  for (const key of keys) {
    const own = Array.from({ length: PER_PROJECT }, () => follow(port, key));
    open.push(...(await Promise.all(own)));
  }
  void askForNeeds(port, all);
  return { opened: open.length };
});

function get(path: string, key: string, headers: readonly string[] = []): string {
  const lines = [`GET ${path} HTTP/1.1`, "Host: 127.0.0.1", `X-Secret-Key: ${key}`, ...headers];
  return [...lines, "", ""].join("\r\n");
}

/** From the newest event on, as a page does. */
async function follow(port: number, key: string): Promise<Socket> {
  const newest = await fetch(`http://127.0.0.1:${port}/v1/events?order=newest&limit=1`, {
    headers: { "X-Secret-Key": key },
  });
  const { data } = (await newest.json()) as { data: { id: string }[] };
  const path = `/v1/events/stream?bodies=false&after=${data[0]?.id ?? ""}`;
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("error", reject);
    socket.once("data", (head) => {
      const text = head.toString("latin1");
      if (!text.startsWith("HTTP/1.1 200 ")) return reject(new Error(text.slice(0, 200)));
      socket.resume();
      resolve(socket);
    });
    socket.write(get(path, key, ["Accept: text/event-stream"]));
  });
}

async function askForNeeds(port: number, keys: readonly string[]): Promise<void> {
  while (open.length > 0) {
    await runLoad({
      port,
      connections: 1,
      durationMs: ROUND_MS,
      ratePerS: keys.length / NEEDS_EVERY_S,
      request: (n) => get("/v1/needs", keys[(n * PER_PROJECT + 1) % keys.length] ?? ""),
    });
  }
}
