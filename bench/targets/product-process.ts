// The dispatcher of the product in a process of its own.
import { createKafkaBus } from "@pay/events";
import { createTestRuntime, readConfig } from "@pay/process";
import { startWebhooks, webhooksConfig } from "@pay/webhooks";
import { servePart } from "../parts/child.ts";

servePart(async ({ url, brokers, ca }: { url: string; brokers: string[]; ca: string }) => {
  const runtime = createTestRuntime("webhooks");
  const bus = await createKafkaBus({ brokers, clientId: "webhooks", runtime });
  const config = readConfig(webhooksConfig, {
    WEBHOOKS_DATABASE_URL: url,
    WEBHOOKS_GRPC_PORT: "0",
    WEBHOOKS_SECRET_KEYS: `1:${Buffer.alloc(32, 7).toString("base64")}`,
    WEBHOOKS_ALLOW_HOSTS: "localhost",
  });
  await startWebhooks(config, runtime, { bus, egress: { ca } });
  return undefined;
});
