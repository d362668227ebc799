import { createKafkaBus, kafkaConfig, kafkaSettings } from "@pay/events";
import { runService } from "@pay/process";
import { webhooksConfig } from "./config.ts";
import { startWebhooks } from "./start.ts";

await runService(
  "webhooks",
  webhooksConfig.extend(kafkaConfig),
  async (config, runtime) => {
    const bus = await createKafkaBus({ ...kafkaSettings(config), clientId: "webhooks", runtime });
    await startWebhooks(config, runtime, { bus });
  },
  process.env,
);
