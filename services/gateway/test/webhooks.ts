// The webhooks service beside a gateway under test, with a database of its own.
import { type Bus, createLocalBus } from "@pay/events";
import { createTestRuntime, readConfig } from "@pay/process";
import { testDatabase } from "@pay/testing";
import { startWebhooks, webhooksConfig } from "@pay/webhooks";

export type TestWebhooks = Awaited<ReturnType<typeof startTestWebhooks>>;

/** Without a bus it receives no events: it knows of a project only what the gateway sent in calls. */
export async function startTestWebhooks({ bus = createLocalBus() }: { bus?: Bus } = {}) {
  const { url, pool, drop } = await testDatabase("services/webhooks");
  const life = createTestRuntime("webhooks");
  const config = readConfig(webhooksConfig, {
    WEBHOOKS_DATABASE_URL: url,
    WEBHOOKS_GRPC_PORT: "0",
    WEBHOOKS_SECRET_KEYS: `1:${Buffer.alloc(32, 7).toString("base64")}`,
  });
  const { address } = await startWebhooks(config, life, { bus });
  return {
    address,
    pool,
    stop: async () => {
      await life.stop();
      await drop();
    },
  };
}
