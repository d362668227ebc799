import { createKafkaBus, kafkaConfig, kafkaSettings } from "@pay/events";
import { runService } from "@pay/process";
import { gatewayConfig } from "./config.ts";
import { startGateway } from "./start.ts";

await runService(
  "gateway",
  gatewayConfig.extend(kafkaConfig),
  async (config, runtime) => {
    const bus = await createKafkaBus({ ...kafkaSettings(config), clientId: "gateway", runtime });
    await startGateway(config, runtime, { bus });
  },
  process.env,
);
