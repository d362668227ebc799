// A receiver whose handshakes take longer than a quarter of a second. Its process is stopped and its queue of
// connections is full, so the kernel drops the first packet of the next connection; the client's kernel sends it again
// after a second, and by then the process runs again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { freezeProcess } from "@pay/testing";

const PROGRAM = `
  const server = require("node:http").createServer((_request, response) => response.end());
  server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => process.stdout.write(String(server.address().port)));
`;
const QUEUED = 6;

export interface FarReceiver {
  port: number;
  /** From now on connections succeed, those that were begun before when their first packet is repeated. */
  goOn(): void;
  stop(): void;
}

export async function startFarReceiver(): Promise<FarReceiver> {
  const child = spawn(process.execPath, ["-e", PROGRAM], { stdio: ["ignore", "pipe", "ignore"] });
  const [text] = await once(child.stdout, "data");
  const port = Number(String(text));
  await freezeProcess(Number(child.pid));
  const queued = Array.from({ length: QUEUED }, () => quiet(connect(port, "127.0.0.1")));
  await Promise.race(queued.map((socket) => once(socket, "connect")));
  return {
    port,
    goOn: () => {
      for (const socket of queued) socket.destroy();
      child.kill("SIGCONT");
    },
    stop: () => child.kill("SIGKILL"),
  };
}

function quiet(socket: Socket): Socket {
  return socket.on("error", () => {});
}
