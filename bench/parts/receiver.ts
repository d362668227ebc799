// A merchant's receiver as a process of its own, as light as TLS allows: counts requests, records their times, and
// answers 200. Paths that begin with /hang are never answered, those with /slow after a while, and those with /flaky by
// 500 until the fourth request of an event. The parent sends {cert, key, idHeader}, then sends requests as messages.
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

const ATTEMPTS = 4;
const SLOW_MS = 1_500;

interface Start {
  cert: string;
  key: string;
  /** The header that tells the event's id. */
  idHeader: string;
}

const arrivals: [eventId: string, at: number][] = [];
const seen = new Map<string, number>();
let count = 0;
let underWay = 0;
let mostUnderWay = 0;

function listen({ cert, key, idHeader }: Start): void {
  const server = createServer({ cert, key }, (request, response) => {
    request.resume();
    if (request.url?.startsWith("/hang")) return;
    count++;
    const eventId = request.headers[idHeader];
    if (typeof eventId !== "string") return void response.end();
    arrivals.push([eventId, performance.timeOrigin + performance.now()]);
    if (request.url?.startsWith("/flaky")) response.statusCode = getStatus(eventId);
    if (request.url?.startsWith("/slow")) answerSlowly(response);
    else response.end();
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => {
    process.send?.({ port: (server.address() as AddressInfo).port });
  });
}

function answerSlowly(response: ServerResponse): void {
  mostUnderWay = Math.max(mostUnderWay, ++underWay);
  setTimeout(() => {
    underWay--;
    response.end();
  }, SLOW_MS);
}

function getStatus(eventId: string): number {
  const requests = (seen.get(eventId) ?? 0) + 1;
  if (requests >= ATTEMPTS) seen.delete(eventId);
  else seen.set(eventId, requests);
  return requests < ATTEMPTS ? 500 : 200;
}

process.on("message", (message: Start | "count" | "arrivals" | "mostUnderWay") => {
  if (typeof message === "object") listen(message);
  else if (message === "count") process.send?.({ count });
  else if (message === "mostUnderWay") process.send?.({ mostUnderWay });
  else process.send?.({ arrivals: arrivals.splice(0) });
});
process.on("disconnect", () => process.exit());
