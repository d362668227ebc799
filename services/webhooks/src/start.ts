import { awaitSchema, openDatabase } from "@pay/database";
import { createEgress, type Egress, type EgressOptions } from "@pay/egress";
import { type Bus, consume, TOPICS } from "@pay/events";
import type { Runtime } from "@pay/process";
import { WebhooksService } from "@pay/proto";
import { implement, serve } from "@pay/rpc";
import type { WebhooksConfig } from "./config.ts";
import { followProjects } from "./consumers/follow-projects.ts";
import { startDispatch } from "./dispatch/start.ts";
import { realTimeline, type Timeline } from "./dispatch/timers.ts";
import { startIngest } from "./ingest.ts";
import { startRetention } from "./jobs/retain.ts";
import { webhooksService } from "./service.ts";

export interface WebhooksNeeds {
  bus: Bus;
  /** Where names are asked and whom to trust, where it is not the system's business. */
  egress?: Pick<EgressOptions, "ca" | "dnsServers">;
  /** The time that retries wait by. */
  timeline?: Timeline;
}

export const startWebhooks = async (
  config: WebhooksConfig,
  runtime: Runtime,
  { bus, egress: egressOptions, timeline = realTimeline }: WebhooksNeeds,
): Promise<{ address: string }> => {
  const sealingKeys = config.WEBHOOKS_SECRET_KEYS;
  const db = openDatabase({
    url: config.WEBHOOKS_DATABASE_URL,
    poolMax: config.WEBHOOKS_DATABASE_POOL_MAX,
    applicationName: "webhooks",
    runtime,
  });
  const home = new URL("..", import.meta.url);
  await awaitSchema({ db, runtime, home, variable: "WEBHOOKS_DATABASE_URL" });
  const egress = openEgress(config, runtime, egressOptions);
  const dispatch = await startDispatch({ db, runtime, egress, timeline, sealingKeys });
  startRetention(db.pool, runtime);
  await startIngest({ ...dispatch, pool: db.pool, log: runtime.log, bus });
  await consume({
    bus,
    db,
    runtime,
    consumer: "webhooks-projects",
    topics: [TOPICS.projects],
    handle: (events, tx) => followProjects(sealingKeys, events, tx),
  });
  return serve({
    runtime,
    port: config.WEBHOOKS_GRPC_PORT,
    services: [implement(WebhooksService, webhooksService({ db, sealingKeys }))],
  });
};

const openEgress = (
  config: WebhooksConfig,
  runtime: Runtime,
  options: WebhooksNeeds["egress"],
): Egress => {
  const ownHost = config.PUBLIC_URL === undefined ? [] : [new URL(config.PUBLIC_URL).hostname];
  const egress = createEgress({
    ...options,
    allowHttp: config.WEBHOOKS_ALLOW_HTTP,
    allowLoopback: config.WEBHOOKS_ALLOW_LOOPBACK,
    allowHosts: config.WEBHOOKS_ALLOW_HOSTS,
    ownHosts: ownHost,
  });
  runtime.onStop("egress", egress.close);
  return egress;
};
