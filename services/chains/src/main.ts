import { createKafkaBus, kafkaConfig, kafkaSettings } from "@pay/events";
import { runService } from "@pay/process";
import { chainsConfig } from "./config.ts";
import { startChains } from "./start.ts";

await runService(
  "chains",
  chainsConfig.extend(kafkaConfig),
  async (config, runtime) => {
    const bus = await createKafkaBus({ ...kafkaSettings(config), clientId: "chains", runtime });
    await startChains(config, runtime, { bus });
  },
  process.env,
);
