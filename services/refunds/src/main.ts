import { createKafkaBus, kafkaConfig, kafkaSettings } from "@pay/events";
import { runService } from "@pay/process";
import { refundsConfig } from "./config.ts";
import { startRefunds } from "./start.ts";

await runService(
  "refunds",
  refundsConfig.extend(kafkaConfig),
  async (config, runtime) => {
    const bus = await createKafkaBus({ ...kafkaSettings(config), clientId: "refunds", runtime });
    await startRefunds(config, runtime, { bus });
  },
  process.env,
);
