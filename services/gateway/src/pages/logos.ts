// Logos as they were read when they were saved: the address names the content, so browsers keep it for ever. Each
// replica keeps the last ones in memory, and remembers for a while what is not there, because anyone may ask. Absent
// names have a cache of their own, so that they push out no logo.
import { createBatcher } from "@pay/batching";
import { Failure } from "@pay/failures";
import type { Express, Request, Response } from "express";
import { LRUCache } from "lru-cache";
import type { PrismaClient } from "../generated/prisma/client.ts";
import { findLogo, LOGO_PATH } from "../projects/logo/storage.ts";
import { rejectOtherMethods, secured } from "./secured.ts";

const KEPT_BYTES_MAX = 16 * 1024 * 1024;
const ABSENT_MS = 5_000;
const ABSENT_MAX = 10_000;
/** The others wait, bounded in number and time. */
const LOOKUPS = { itemsMax: 1, inFlightMax: 4 };

const HEADERS = secured({ scriptSrc: ["'none'"], imgSrc: ["'none'"] });

type Logo = NonNullable<Awaited<ReturnType<typeof findLogo>>>;

export function mountLogos(app: Express, prisma: PrismaClient): void {
  const find = createBatcher(
    (digests: string[]) => Promise.all(digests.map((digest) => findLogo(prisma, digest))),
    LOOKUPS,
  );
  const absent = new LRUCache<string, true>({ max: ABSENT_MAX, ttl: ABSENT_MS });
  const logos = new LRUCache<string, Logo>({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: ({ content }) => content.length,
    fetchMethod: async (digest) => {
      const logo = await find(digest);
      if (logo === null) absent.set(digest, true);
      return logo ?? undefined;
    },
  });

  app.get(LOGO_PATH, HEADERS, async (request: Request, response: Response) => {
    response.locals.route = "/pay/logos/{digest}";
    const digest = request.params.digest as string;
    const mayExist = /^[0-9a-f]{64}$/.test(digest) && !absent.has(digest);
    const logo = mayExist ? await logos.fetch(digest) : undefined;
    if (logo === undefined) throw new Failure("route_not_found", "Not found");
    response.setHeader("Content-Type", logo.type);
    response.setHeader("Cache-Control", "public, max-age=31536000, immutable");
    response.end(logo.content);
  });
  rejectOtherMethods(app, LOGO_PATH);
}
