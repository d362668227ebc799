import { createKafkaBus, kafkaConfig, kafkaSettings } from "@pay/events";
import { runService } from "@pay/process";
import { paymentsConfig } from "./config.ts";
import { startPayments } from "./start.ts";

await runService(
  "payments",
  paymentsConfig.extend(kafkaConfig),
  async (config, runtime) => {
    const bus = await createKafkaBus({ ...kafkaSettings(config), clientId: "payments", runtime });
    await startPayments(config, runtime, { bus });
  },
  process.env,
);
