import { join } from "node:path";
import { startPart } from "./child.ts";

export interface Receiver {
  url: string;
  count(): Promise<number>;
  /** Event ids and times since the last call. */
  arrivals(): Promise<[string, number][]>;
  /** Of requests that it answers slowly, how many were there at once at the most. */
  mostUnderWay(): Promise<number>;
  stop(): Promise<void>;
}

export async function startReceiver(
  certificate: { cert: string; key: string },
  idHeader = "x-service-event-id",
): Promise<Receiver> {
  const part = startPart(join(import.meta.dirname, "receiver.ts"));
  const { port } = await part.ask<{ port: number }>({ ...certificate, idHeader });
  return {
    url: `https://127.0.0.1:${port}`,
    count: async () => (await part.ask<{ count: number }>("count")).count,
    arrivals: async () => (await part.ask<{ arrivals: [string, number][] }>("arrivals")).arrivals,
    mostUnderWay: async () =>
      (await part.ask<{ mostUnderWay: number }>("mostUnderWay")).mostUnderWay,
    stop: part.stop,
  };
}
