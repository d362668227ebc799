import { createKafkaBus, kafkaConfig, kafkaSettings, TOPICS } from "@pay/events";
import { runService, withCallerTokens } from "@pay/process";
import { ChainsService } from "@pay/proto";
import { getCallers } from "@pay/rpc";
import { chainsConfig } from "./config.ts";
import { startChains } from "./start.ts";

await runService(
  "chains",
  withCallerTokens(chainsConfig.extend(kafkaConfig), ["chains", ...getCallers(ChainsService)]),
  async (config, runtime) => {
    const publishes = [TOPICS.observations, TOPICS.transfers];
    const settings = kafkaSettings(config);
    const bus = await createKafkaBus({ ...settings, clientId: "chains", runtime, publishes });
    await startChains(config, runtime, { bus });
  },
  process.env,
);
