import { createKafkaBus, kafkaConfig, kafkaSettings } from "@pay/events";
import { runService } from "@pay/process";
import { customersConfig } from "./config.ts";
import { startCustomers } from "./start.ts";

await runService(
  "customers",
  customersConfig.extend(kafkaConfig),
  async (config, runtime) => {
    const bus = await createKafkaBus({ ...kafkaSettings(config), clientId: "customers", runtime });
    await startCustomers(config, runtime, { bus });
  },
  process.env,
);
