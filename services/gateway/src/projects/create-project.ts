import { randomUUIDv7 } from "node:crypto";
import { transaction } from "@pay/database";
import type { Clock } from "@pay/process";
import type { WebhooksService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import { newId } from "@pay/values";
import type { Pool } from "pg";
import { insertOperatorEntry } from "../audit/entries.ts";
import type { KeyMode } from "../keys/caller.ts";
import { type NewKey, newKey } from "../keys/new-key.ts";
import type { Pepper } from "../keys/pepper.ts";
import { projectEvent } from "./events.ts";
import { insertProject } from "./storage.ts";

const LIFETIME_MINUTES = 30;

export interface CreatedProject {
  projectId: string;
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  /** Only where they are asked for. Trials with test keys reach no live order. */
  testSecretKey?: string;
  testPublishableKey?: string;
}

interface NewProject {
  /** Where it was given out before, for a configuration that names the project. */
  id?: string | undefined;
  name: string;
  /** Whether it gets a pair of keys for test mode, too. */
  testKeys?: boolean;
  /** The shape of its payments; null where each request chooses it. */
  variant?: "primary" | "b" | null;
  apiVersion: string;
}

/**
 * A project with its first keys and the secret of its webhooks, all shown this once. The endpoint comes first: an
 * endpoint without a project does no harm, while keys that could not be shown would.
 */
export async function createProject(
  deps: { pool: Pool; webhooks: Client<typeof WebhooksService>; pepper: Pepper; clock: Clock },
  { id = newId("proj"), name, testKeys = false, variant = null, apiVersion }: NewProject,
): Promise<CreatedProject> {
  const requestId = randomUUIDv7();
  const { secret } = await deps.webhooks.createDefaultEndpoint(
    { projectId: id },
    { context: { requestId, projectId: id } },
  );
  const now = deps.clock.now();
  const [secretKey, publishableKey] = createPair("live", deps.pepper);
  const [testSecretKey, testPublishableKey] = testKeys ? createPair("test", deps.pepper) : [];
  const project = {
    id,
    name,
    variant,
    callback_url: null,
    test_callback_url: null,
    payment_lifetime_minutes: LIFETIME_MINUTES,
    version: 1,
    api_version: apiVersion,
    created_at: now,
    updated_at: now,
  };
  const keys = [secretKey, publishableKey, testSecretKey, testPublishableKey].filter(
    (key) => key !== undefined,
  );
  const event = projectEvent(
    "project.created",
    { ...project, payout_wallets: [], screening: null },
    requestId,
  );
  const entry = {
    projectId: id,
    action: "projects.create",
    targetId: id,
    changes: { name: { after: name } },
    requestId,
  };
  await transaction(deps.pool, async (tx) => {
    await insertProject(tx, project, keys, event);
    await insertOperatorEntry(tx, entry, now);
  });
  return {
    projectId: id,
    secretKey: secretKey.text,
    publishableKey: publishableKey.text,
    webhookSecret: secret,
    ...(testSecretKey && { testSecretKey: testSecretKey.text }),
    ...(testPublishableKey && { testPublishableKey: testPublishableKey.text }),
  };
}

function createPair(mode: KeyMode, pepper: Pepper): [NewKey, NewKey] {
  return [newKey({ type: "secret", mode }, pepper), newKey({ type: "publishable", mode }, pepper)];
}
