import type { Destination } from "@pay/proto";
import { chainIdOf } from "@pay/values";
import { z } from "zod";
import { isoTime, isoTimeShape } from "../field-values.ts";
import { type FieldsOf, namesOf, pick, shapeOf } from "../response-fields.ts";

const FIELDS = {
  id: { schema: z.string(), of: (d) => d.id },
  chainId: { schema: z.int(), of: (d) => chainIdOf(d.chainId) },
  address: { schema: z.string(), of: (d) => d.address },
  label: { schema: z.string().nullable(), of: (d) => d.label ?? null },
  createdBy: { schema: z.string(), of: (d) => d.createdBy },
  createdAt: { schema: isoTimeShape, of: (d) => isoTime(d.createdAt) },
  usableAt: { schema: isoTimeShape, of: (d) => isoTime(d.usableAt) },
} satisfies FieldsOf<Destination, "projectId" | "mode">;

const READ = namesOf(FIELDS);

export function renderDestination(destination: Destination) {
  return pick(FIELDS, READ, destination);
}

export const destinationShape = shapeOf(FIELDS, READ);
