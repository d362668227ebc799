import { randomUUIDv7 } from "node:crypto";
import { newId } from "@pay/money";
import type { Clock } from "@pay/process";
import type { WebhooksService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import type { Pool } from "pg";
import { NEWEST_VERSION } from "../versions.ts";
import { projectEvent } from "./events.ts";
import { newKey } from "./keys.ts";
import { insertProject } from "./storage.ts";

const LIFETIME_MINUTES = 30;

export interface CreatedProject {
  projectId: string;
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
}

/**
 * A project with its first keys and the secret of its webhooks, all shown this once. The endpoint comes first: an
 * endpoint without a project harms nobody, while keys that could not be shown would.
 */
export const createProject = async (
  deps: { pool: Pool; webhooks: Client<typeof WebhooksService>; pepper: string; clock: Clock },
  { name }: { name: string },
): Promise<CreatedProject> => {
  const id = newId("proj");
  const requestId = randomUUIDv7();
  const { secret } = await deps.webhooks.createDefaultEndpoint(
    { projectId: id },
    { context: { requestId, projectId: id } },
  );
  const now = deps.clock.now();
  const secretKey = newKey({ type: "secret", mode: "live" }, deps.pepper);
  const publishableKey = newKey({ type: "publishable", mode: "live" }, deps.pepper);
  const project = {
    id,
    name,
    callback_url: null,
    payment_lifetime_minutes: LIFETIME_MINUTES,
    version: 1,
    api_version: NEWEST_VERSION,
    created_at: now,
    updated_at: now,
  };
  const event = projectEvent("project.created", project, requestId);
  await insertProject(deps.pool, project, [secretKey, publishableKey], event);
  return {
    projectId: id,
    secretKey: secretKey.text,
    publishableKey: publishableKey.text,
    webhookSecret: secret,
  };
};
