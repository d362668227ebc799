import type { Destination } from "@pay/proto";
import { toChainId } from "@pay/values";
import { KEY_ID, TREASURY } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";

const FIELDS = {
  id: { schema: shown.id("dst"), of: (d) => d.id },
  chainId: { schema: shown.chainId, of: (d) => toChainId(d.chainId) },
  address: {
    schema: shown.string("Address that settlements may go to.", TREASURY),
    of: (d) => d.address,
  },
  label: {
    schema: shown.stringOrNull("Label of the address; null without one.", "Treasury"),
    of: (d) => d.label ?? null,
  },
  createdBy: {
    schema: shown.string("Id of the key that created it, or `operator`.", KEY_ID),
    of: (d) => d.createdBy,
  },
  createdAt: { schema: shown.createdAt, of: (d) => shown.isoTime(d.createdAt) },
  usableAt: {
    schema: shown.time("Time from which settlements may go there.", "2026-02-01T12:00:00.000Z"),
    of: (d) => shown.isoTime(d.usableAt),
  },
} satisfies MessageFields<Destination, "projectId" | "mode">;

const READ = listNames(FIELDS);

export function renderDestination(destination: Destination) {
  return pick(FIELDS, READ, destination);
}

export const destinationItem = buildShape("SettlementDestinationItem", FIELDS, READ);
export const createdDestination = buildShape("CreatedSettlementDestination", FIELDS, READ);
