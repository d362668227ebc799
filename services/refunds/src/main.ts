import { createKafkaBus, kafkaConfig, kafkaSettings, TOPICS } from "@pay/events";
import { runService, withCallerTokens } from "@pay/process";
import { RefundsService, SettlementsService } from "@pay/proto";
import { getCallers } from "@pay/rpc";
import { refundsConfig } from "./config.ts";
import { startRefunds } from "./start.ts";

await runService(
  "refunds",
  withCallerTokens(refundsConfig.extend(kafkaConfig), [
    "refunds",
    ...getCallers(RefundsService),
    ...getCallers(SettlementsService),
  ]),
  async (config, runtime) => {
    const publishes = [TOPICS.refunds, TOPICS.settlements];
    const settings = kafkaSettings(config);
    const bus = await createKafkaBus({ ...settings, clientId: "refunds", runtime, publishes });
    await startRefunds(config, runtime, { bus });
  },
  process.env,
);
