import { createKafkaBus, kafkaConfig, kafkaSettings, TOPICS } from "@pay/events";
import { runService, withCallerTokens } from "@pay/process";
import { gatewayConfig } from "./config.ts";
import { startGateway } from "./start.ts";

await runService(
  "gateway",
  withCallerTokens(gatewayConfig.extend(kafkaConfig), ["gateway"]),
  async (config, runtime) => {
    const publishes = [TOPICS.projects];
    const settings = kafkaSettings(config);
    const bus = await createKafkaBus({ ...settings, clientId: "gateway", runtime, publishes });
    await startGateway(config, runtime, { bus });
  },
  process.env,
);
