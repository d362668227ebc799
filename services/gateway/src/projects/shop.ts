// A merchant as its shoppers see it: a name and a design. Every read of a payment's status needs it, so it is cached
// for a few seconds.
import { LRUCache } from "lru-cache";
import type { PrismaClient } from "../generated/prisma/client.ts";
import { findProject } from "./storage.ts";

const REMEMBERED_MAX = 1_000;
const REMEMBERED_MS = 5_000;

export interface Shop {
  displayName: string;
  primaryColor: string | null;
  theme: "light" | "dark" | null;
  supportUrl: string | null;
}

export type FindShop = (projectId: string) => Promise<Shop>;

export function createShops(prisma: PrismaClient): FindShop {
  const shops = new LRUCache<string, Shop>({
    max: REMEMBERED_MAX,
    ttl: REMEMBERED_MS,
    fetchMethod: async (projectId) => {
      const project = await findProject(prisma, projectId);
      return shopOf(project?.name ?? "", project?.branding_config ?? {});
    },
  });
  return async (projectId) => (await shops.fetch(projectId)) ?? shopOf("", {});
}

function shopOf(name: string, branding: Record<string, unknown>): Shop {
  const { displayName, primaryColor, theme, supportUrl } = branding as Partial<Shop>;
  return {
    displayName: displayName ?? name,
    primaryColor: primaryColor ?? null,
    theme: theme ?? null,
    supportUrl: supportUrl ?? null,
  };
}
