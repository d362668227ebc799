import { createKafkaBus, kafkaConfig, kafkaSettings, TOPICS } from "@pay/events";
import { runService, withCallerTokens } from "@pay/process";
import { CustomersService } from "@pay/proto";
import { getCallers } from "@pay/rpc";
import { customersConfig } from "./config.ts";
import { startCustomers } from "./start.ts";

await runService(
  "customers",
  withCallerTokens(customersConfig.extend(kafkaConfig), getCallers(CustomersService)),
  async (config, runtime) => {
    const publishes = [TOPICS.customers];
    const settings = kafkaSettings(config);
    const bus = await createKafkaBus({ ...settings, clientId: "customers", runtime, publishes });
    await startCustomers(config, runtime, { bus });
  },
  process.env,
);
