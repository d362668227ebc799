import type { Destination } from "@pay/proto";
import { toChainId } from "@pay/values";
import { z } from "zod";
import { isoTime, isoTimeShape } from "../field-values.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";

const FIELDS = {
  id: { schema: z.string(), of: (d) => d.id },
  chainId: { schema: z.int(), of: (d) => toChainId(d.chainId) },
  address: { schema: z.string(), of: (d) => d.address },
  label: { schema: z.string().nullable(), of: (d) => d.label ?? null },
  createdBy: { schema: z.string(), of: (d) => d.createdBy },
  createdAt: { schema: isoTimeShape, of: (d) => isoTime(d.createdAt) },
  usableAt: { schema: isoTimeShape, of: (d) => isoTime(d.usableAt) },
} satisfies MessageFields<Destination, "projectId" | "mode">;

const READ = listNames(FIELDS);

export function renderDestination(destination: Destination) {
  return pick(FIELDS, READ, destination);
}

export const destinationShape = buildShape(FIELDS, READ);
