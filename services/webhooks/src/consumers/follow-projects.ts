import { type Event, Mode } from "@pay/proto";
import type { Box } from "@pay/sealing";
import { newId, newSecret } from "@pay/values";
import type { ClientBase } from "pg";
import * as endpoints from "../storage/endpoints.ts";

/**
 * A project's two addresses are those of its default endpoints; the newest event of each project counts. It is said
 * again by this way what the gateway has written already, for where the gateway could not.
 */
export async function followProjects(box: Box, events: Event[], tx: ClientBase): Promise<void> {
  const newest = new Map<string, endpoints.ProjectUrl>();
  for (const { resource } of events) {
    if (resource.case !== "project") continue;
    const { id: projectId, callbackUrl, testCallbackUrl, version } = resource.value;
    function follow(mode: Mode, url: string | null) {
      const key = `${projectId} ${mode}`;
      if ((newest.get(key)?.version ?? -1) >= version) return;
      const id = newId("we");
      const sealed = box.seal(newSecret("whsec_"), id);
      newest.set(key, { id, projectId, mode, url, version, sealed });
    }

    follow(Mode.LIVE, callbackUrl ?? null);
    follow(Mode.TEST, testCallbackUrl || null);
  }
  if (newest.size > 0) await endpoints.followProjects(tx, [...newest.values()]);
}
