import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";

/** The usual handler: one row per event, on the transaction it is given. */
export async function leaveEffects(events: Event[], tx: PoolClient): Promise<void> {
  for (const { id, projectId, resourceId, sequence } of events) {
    await tx.query(
      "insert into effects (event_id, project_id, resource_id, sequence) values ($1, $2, $3, $4)",
      [id, projectId, resourceId, sequence],
    );
  }
}
