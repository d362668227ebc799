import { randomUUIDv7 } from "node:crypto";
import type { Clock } from "@pay/process";
import type { WebhooksService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import { newId } from "@pay/values";
import type { Pool } from "pg";
import { newKey } from "../keys/new-key.ts";
import type { Pepper } from "../keys/pepper.ts";
import { projectEvent } from "./events.ts";
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
 * endpoint without a project does no harm, while keys that could not be shown would.
 */
export async function createProject(
  deps: { pool: Pool; webhooks: Client<typeof WebhooksService>; pepper: Pepper; clock: Clock },
  { name, apiVersion }: { name: string; apiVersion: string },
): Promise<CreatedProject> {
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
    test_callback_url: null,
    payment_lifetime_minutes: LIFETIME_MINUTES,
    version: 1,
    api_version: apiVersion,
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
}
