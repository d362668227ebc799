import { newId, newSecret } from "@pay/money";
import type { Event } from "@pay/proto";
import type { ClientBase } from "pg";
import { type SealingKeys, seal } from "../domain/sealing.ts";
import * as endpoints from "../storage/endpoints.ts";

/** A project's callbackUrl is the address of its default endpoint; the newest news of each project counts. */
export const followProjects = async (
  sealingKeys: SealingKeys,
  events: Event[],
  tx: ClientBase,
): Promise<void> => {
  const newest = new Map<string, { url: string | null; version: number }>();
  for (const { resource } of events) {
    if (resource.case !== "project") continue;
    const { id, callbackUrl, version } = resource.value;
    const known = newest.get(id);
    if (known !== undefined && known.version >= version) continue;
    newest.set(id, { url: callbackUrl ?? null, version });
  }
  if (newest.size === 0) return;
  const list = [...newest].map(([projectId, { url, version }]) => {
    const id = newId("we");
    return { id, projectId, url, version, sealed: seal(sealingKeys, id, newSecret("whsec_")) };
  });
  await endpoints.followProjects(tx, list);
};
