import { openListedDatabase } from "@pay/database";
import { createEgress, type Egress, type EgressOptions, toEgressOptions } from "@pay/egress";
import { type Bus, consume } from "@pay/events";
import type { Runtime } from "@pay/process";
import { WebhooksService } from "@pay/proto";
import { implement, serve } from "@pay/rpc";
import { createBox } from "@pay/sealing";
import type { WebhooksConfig } from "./config.ts";
import { startEventConsumer } from "./consumers/consume-events.ts";
import { syncDefaultEndpoints } from "./consumers/sync-default-endpoints.ts";
import { realTimeline, type Timeline } from "./delivery/retry-timers.ts";
import { startDelivery } from "./delivery/start-delivery.ts";
import { startResealing } from "./jobs/reseal-secrets.ts";
import { webhooksService } from "./service.ts";
import { PLANNING } from "./storage/recent-days.ts";

export interface WebhooksNeeds {
  bus: Bus;
  /** Resolvers and certificate authorities; the system's by default. */
  egress?: Pick<EgressOptions, "ca" | "dnsServers">;
  /** Timers of retries. */
  timeline?: Timeline;
}

export async function startWebhooks(
  config: WebhooksConfig,
  runtime: Runtime,
  { bus, egress: egressOptions, timeline = realTimeline }: WebhooksNeeds,
): Promise<{ address: string }> {
  const box = createBox(config.WEBHOOKS_SECRET_KEYS);
  const { db, lists } = await openListedDatabase({
    service: "webhooks",
    config,
    home: new URL("..", import.meta.url),
    runtime,
    ...PLANNING,
  });
  const egress = openEgress(config, runtime, egressOptions);
  const dispatch = await startDelivery({ db, runtime, egress, timeline, box });
  startResealing({ pool: db.pool, box, runtime });
  await startEventConsumer({ ...dispatch, pool: db.pool, log: runtime.log, bus, db, runtime });
  await consume({
    bus,
    db,
    runtime,
    consumer: "webhooks-projects",
    types: ["project.created", "project.updated"],
    handle: (events, tx) => syncDefaultEndpoints(box, events, tx),
  });
  return serve({
    runtime,
    port: config.WEBHOOKS_GRPC_PORT,
    services: [
      implement(
        WebhooksService,
        webhooksService({
          db,
          lists,
          box,
          clock: runtime.clock,
          workers: dispatch.worker.registered,
          wakeBacklog: dispatch.backlog.wakeAllDays,
        }),
      ),
    ],
  });
}

function openEgress(
  config: WebhooksConfig,
  runtime: Runtime,
  options: WebhooksNeeds["egress"],
): Egress {
  const egress = createEgress({ ...options, ...toEgressOptions(config) });
  runtime.onStop("egress", egress.close);
  return egress;
}
