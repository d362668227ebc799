import { type Event, Mode } from "@pay/proto";
import type { Box } from "@pay/sealing";
import { newId } from "@pay/values";
import type { ClientBase } from "pg";
import { createWebhookSecret } from "../domain/signature.ts";
import * as endpoints from "../storage/default-endpoints.ts";

/**
 * Sets the urls of a project's default endpoints from its newest event. The gateway writes them first; this repeats the
 * write in case it failed.
 */
export async function syncDefaultEndpoints(
  box: Box,
  events: Event[],
  tx: ClientBase,
): Promise<void> {
  const newest = new Map<string, endpoints.ProjectUrl>();
  for (const { resource } of events) {
    if (resource.case !== "project") continue;
    const { id: projectId, callbackUrl, testCallbackUrl, version } = resource.value;
    function set(mode: Mode, url: string | null) {
      const key = `${projectId} ${mode}`;
      if ((newest.get(key)?.version ?? -1) >= version) return;
      const id = newId("we");
      const sealed = box.seal(createWebhookSecret(), id);
      newest.set(key, { id, projectId, mode, url, version, sealed });
    }

    set(Mode.LIVE, callbackUrl ?? null);
    set(Mode.TEST, testCallbackUrl || null);
  }
  if (newest.size > 0) await endpoints.syncDefaultEndpoints(tx, [...newest.values()]);
}
