import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type OutboxRow, outboxRow } from "@pay/events";
import { Mode } from "@pay/proto";
import type { InsertKeyRow } from "../generated/sql.ts";
import { isEveryScope } from "./caller.ts";

/** A key is made once and revoked once. */
const SEQUENCES = { "api_key.created": 1, "api_key.revoked": 2 } as const;

/** Of live mode also for test keys, because only live keys manage keys. */
export function keyEvent(
  type: keyof typeof SEQUENCES,
  key: InsertKeyRow,
  { at, requestId }: { at: Date; requestId: string },
): OutboxRow {
  const { id, project_id: projectId, name, expires_at, revoked_at } = key;
  return outboxRow({
    type,
    projectId,
    mode: Mode.LIVE,
    resourceId: id,
    sequence: SEQUENCES[type],
    occurredAt: timestampFromDate(at),
    requestId,
    resource: {
      case: "apiKey",
      value: {
        id,
        projectId,
        type: key.type,
        keyMode: key.mode,
        scopes: isEveryScope(key.scopes) ? [] : key.scopes,
        prefix: key.prefix,
        last4: key.last4,
        allowedAddresses: key.allowed_addresses,
        createdBy: key.created_by,
        createdAt: timestampFromDate(key.created_at),
        ...(name !== null && { name }),
        ...(expires_at && { expiresAt: timestampFromDate(expires_at) }),
        ...(revoked_at && { revokedAt: timestampFromDate(revoked_at) }),
      },
    },
  });
}
