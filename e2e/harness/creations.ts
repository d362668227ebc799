// Creations at a steady pace, whether or not those before them were answered: what shoppers see while a part of the
// product does not answer.
import { until } from "@pay/testing";
import type { Api } from "./api.ts";
import { createPayment } from "./merchant.ts";

export interface Pace {
  everyMs: number;
  forMs: number;
}

/** The share of the creations that were acknowledged. */
export async function acknowledgedShare(api: Api, { everyMs, forMs }: Pace): Promise<number> {
  const asked: Promise<boolean>[] = [];
  const began = performance.now();
  await until(
    () => {
      const passedMs = performance.now() - began;
      const due = Math.floor(passedMs / everyMs);
      while (asked.length < due) asked.push(isAcknowledged(api));
      return passedMs > forMs;
    },
    { what: "the end of the load" },
  );
  if (asked.length < forMs / everyMs / 2) throw new Error("this machine was too slow for the load");
  return (await Promise.all(asked)).filter((is) => is).length / asked.length;
}

export function isAcknowledged(api: Api): Promise<boolean> {
  return createPayment(api).then(
    () => true,
    () => false,
  );
}
