import { createKafkaBus, kafkaConfig, kafkaSettings } from "@pay/events";
import { runService, withCallerTokens } from "@pay/process";
import { WebhooksService } from "@pay/proto";
import { getCallers } from "@pay/rpc";
import { webhooksConfig } from "./config.ts";
import { startWebhooks } from "./start.ts";

await runService(
  "webhooks",
  withCallerTokens(webhooksConfig.extend(kafkaConfig), getCallers(WebhooksService)),
  async (config, runtime) => {
    const bus = await createKafkaBus({ ...kafkaSettings(config), clientId: "webhooks", runtime });
    await startWebhooks(config, runtime, { bus });
  },
  process.env,
);
