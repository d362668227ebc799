// A merchant's receiver as a process of its own, as light as TLS allows: counts requests, records their times, and
// answers 200. Paths that begin with /hang are never answered. The parent sends {cert, key}, then sends requests as messages.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

const arrivals: [eventId: string, at: number][] = [];
let count = 0;

function listen(certificate: { cert: string; key: string }): void {
  const server = createServer(certificate, (request, response) => {
    request.resume();
    if (request.url?.startsWith("/hang")) return;
    count++;
    const eventId = request.headers["x-service-event-id"];
    if (typeof eventId === "string") {
      arrivals.push([eventId, performance.timeOrigin + performance.now()]);
    }
    response.end();
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => {
    process.send?.({ port: (server.address() as AddressInfo).port });
  });
}

process.on("message", (message: { cert: string; key: string } | "count" | "arrivals") => {
  if (typeof message === "object") listen(message);
  else if (message === "count") process.send?.({ count });
  else process.send?.({ arrivals: arrivals.splice(0) });
});
process.on("disconnect", () => process.exit());
