// Logos as they were read when they were saved: the address names the content, so browsers keep it for ever. Each
// replica keeps the last ones in memory, and remembers for a while what is not there, because anyone may ask.
import { Failure } from "@pay/failures";
import type { Express, Request, Response } from "express";
import { LRUCache } from "lru-cache";
import type { PrismaClient } from "../generated/prisma/client.ts";
import { findLogo } from "../projects/logo/storage.ts";
import { rejectOtherMethods, secured } from "./secured.ts";

const PATH = "/pay/logos/:digest";
const KEPT_BYTES_MAX = 16 * 1024 * 1024;
const ABSENT_MS = 5_000;
/** What a name that is not there counts as, in bytes. */
const ABSENT_BYTES = 100;
const LOOKS_MAX = 4;

const HEADERS = secured({ scriptSrc: ["'none'"], imgSrc: ["'none'"] });

type Logo = NonNullable<Awaited<ReturnType<typeof findLogo>>>;

export function logoPath(digest: string): string {
  return PATH.replace(":digest", digest);
}

export function mountLogos(app: Express, prisma: PrismaClient): void {
  let looking = 0;
  const logos = new LRUCache<string, Logo | "absent">({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: (logo) => (logo === "absent" ? ABSENT_BYTES : logo.content.length),
    fetchMethod: async (digest, _stale, { options }) => {
      if (looking >= LOOKS_MAX) {
        throw new Failure("service_overloaded", "Too many logos are being read; try again later");
      }
      looking++;
      try {
        const logo = await findLogo(prisma, digest);
        if (logo === null) options.ttl = ABSENT_MS;
        return logo ?? "absent";
      } finally {
        looking--;
      }
    },
  });

  app.get(PATH, HEADERS, async (request: Request, response: Response) => {
    response.locals.route = "/pay/logos/{digest}";
    const digest = request.params.digest as string;
    const logo = /^[0-9a-f]{64}$/.test(digest) ? await logos.fetch(digest) : undefined;
    if (logo === undefined || logo === "absent") throw new Failure("route_not_found", "Not found");
    response.setHeader("Content-Type", logo.type);
    response.setHeader("Cache-Control", "public, max-age=31536000, immutable");
    response.end(logo.content);
  });
  rejectOtherMethods(app, PATH);
}
