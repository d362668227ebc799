import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { register } from "prom-client";
import { hostToBind } from "./hosts.ts";
import type { Lifecycle } from "./lifecycle.ts";

/**
 * /livez, /readyz and /metrics on a port of their own. Liveness touches nothing outside the process: a dead
 * database must not make the platform kill healthy processes.
 */
export async function startAdminPort(
  lifecycle: Lifecycle,
  { host = "127.0.0.1", port }: { host?: string; port: number },
): Promise<number> {
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0];
    function say(statusCode: number, text: string, type = "text/plain; charset=utf-8") {
      response.writeHead(statusCode, { "content-type": type }).end(text);
    }

    if (path === "/livez") return say(200, "ok\n");
    if (path === "/readyz") {
      return void lifecycle
        .readiness()
        .then(({ ready, text }) => say(ready ? 200 : NOT_READY, text));
    }
    if (path === "/metrics") {
      return void register.metrics().then((text) => say(200, text, register.contentType));
    }
    say(NOT_HERE, "not found\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostToBind(host), resolve);
  });
  lifecycle.onStop("admin port", () => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const NOT_READY = 503;
const NOT_HERE = 404;
