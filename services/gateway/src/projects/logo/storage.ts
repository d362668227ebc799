// The logos of projects. A logo counts while the project's branding has its address, so the logo of the change that
// won is shown after two concurrent changes.
import type { Queryable } from "@pay/database";
import type { PrismaClient } from "../../generated/prisma/client.ts";
import * as sql from "../../generated/sql.ts";
import type { Image } from "./image.ts";

export async function saveLogo(
  db: Queryable,
  logo: { projectId: string; sourceUrl: string },
  { digest, type, content }: Image,
): Promise<void> {
  await sql.saveLogo(db, { ...logo, digest, type, content });
}

export async function deleteReplacedLogo(db: Queryable, projectId: string): Promise<void> {
  await sql.deleteReplacedLogo(db, { projectId });
}

export const LOGO_PATH = "/pay/logos/:digest";

/** On this service; null where the project has no logo that can be shown. */
export async function findLogoUrl(
  db: Queryable,
  { projectId, publicUrl }: { projectId: string; publicUrl: string },
): Promise<string | null> {
  const [logo] = await sql.findLogoDigest(db, { projectId });
  if (logo === undefined) return null;
  const path = LOGO_PATH.replace(":digest", logo.digest.toString("hex"));
  return publicUrl.replace(/\/$/, "") + path;
}

/** Needs no project: a logo is public for everyone who knows its digest. */
export function findLogo(prisma: PrismaClient, digest: string) {
  return prisma.logo.findFirst({
    where: { digest: Buffer.from(digest, "hex") },
    select: { type: true, content: true },
  });
}
