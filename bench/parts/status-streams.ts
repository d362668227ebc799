// Pages that follow payments, as sockets: a client so light that thousands of them cost little beside what they
// measure.
import { connect, type Socket } from "node:net";

const AT_ONCE = 50;
const OPEN_MAX_MS = 30_000;
let opened = 0;

export interface Followed {
  id: string;
  clientSecret: string;
}

export interface StatusStreams {
  close(): void;
}

/** Opens one stream for each payment, and returns when all have their first status. */
export async function openStatusStreams(
  port: number,
  payments: readonly Followed[],
  onStatus: (id: string, data: string) => void = () => {},
): Promise<StatusStreams> {
  const sockets: Socket[] = [];
  const waiting = [...payments];
  async function openSome(): Promise<void> {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      sockets.push(await openOne(port, next, onStatus));
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, openSome));
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function openOne(
  port: number,
  { id, clientSecret }: Followed,
  onStatus: (id: string, data: string) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.setTimeout(OPEN_MAX_MS, () => reject(new Error("a stream did not begin")));
    socket.once("error", reject);
    let isOpen = false;
    socket.on("data", (chunk) => {
      const text = chunk.toString("latin1");
      if (!isOpen && !text.startsWith("HTTP/1.1 200 ") && text.startsWith("HTTP/")) {
        return reject(new Error(`a stream was refused: ${text.slice(0, 200)}`));
      }
      if (!text.includes("event: status")) return;
      if (isOpen) return onStatus(id, text);
      isOpen = true;
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.write(
      [
        `GET /v1/payments/${id}/status HTTP/1.1`,
        "Host: 127.0.0.1",
        `X-Client-Secret: ${clientSecret}`,
        // An address has a share of the streams, so each of these pages has an address of its own.
        `X-Forwarded-For: 2001:db8:${(opened >> 16).toString(16)}:${(opened++ & 0xffff).toString(16)}::1`,
        "Accept: text/event-stream",
        "",
        "",
      ].join("\r\n"),
    );
  });
}
