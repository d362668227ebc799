// A merchant as its shoppers see it, a name and a design, and whether wallets are to name its payments. Every read of a
// payment's status needs it, so it is cached for a few seconds.
import { LRUCache } from "lru-cache";
import type { Pool } from "pg";
import type { PrismaClient } from "../generated/prisma/client.ts";
import { findLogoUrl } from "./logo/storage.ts";
import { findProject } from "./storage.ts";

const REMEMBERED_MAX = 1_000;
const REMEMBERED_MS = 5_000;

export interface ShopProfile {
  displayName: string;
  primaryColor: string | null;
  theme: "light" | "dark" | null;
  supportUrl: string | null;
  /** On this service. */
  logoUrl: string | null;
}

export interface Shop {
  profile: ShopProfile;
  /** Whether transactions for wallets name their payment. */
  reference: boolean;
}

export type FindShop = (projectId: string) => Promise<Shop>;

interface Parts {
  prisma: PrismaClient;
  pool: Pool;
  publicUrl: string;
}

export function createShops({ prisma, pool, publicUrl }: Parts): FindShop {
  const shops = new LRUCache<string, Shop>({
    max: REMEMBERED_MAX,
    ttl: REMEMBERED_MS,
    fetchMethod: async (projectId) => {
      const project = await findProject(prisma, projectId);
      const branding = project?.branding_config ?? {};
      const logoUrl =
        branding.logoUrl === undefined ? null : await findLogoUrl(pool, { projectId, publicUrl });
      const profile = toProfile(project?.name ?? "", { ...branding, logoUrl });
      return { profile, reference: project?.reference ?? true };
    },
  });
  return async (projectId) =>
    (await shops.fetch(projectId)) ?? { profile: toProfile("", {}), reference: true };
}

function toProfile(name: string, branding: Partial<ShopProfile>): ShopProfile {
  const { displayName, primaryColor, theme, supportUrl, logoUrl } = branding;
  return {
    displayName: displayName ?? name,
    primaryColor: primaryColor ?? null,
    theme: theme ?? null,
    supportUrl: supportUrl ?? null,
    logoUrl: logoUrl ?? null,
  };
}
