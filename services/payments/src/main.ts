import { createKafkaBus, kafkaConfig, kafkaSettings, TOPICS } from "@pay/events";
import { runService, withCallerTokens } from "@pay/process";
import { PaymentsService } from "@pay/proto";
import { getCallers } from "@pay/rpc";
import { paymentsConfig } from "./config.ts";
import { startPayments } from "./start.ts";

await runService(
  "payments",
  withCallerTokens(paymentsConfig.extend(kafkaConfig), [
    "payments",
    ...getCallers(PaymentsService),
  ]),
  async (config, runtime) => {
    const publishes = [TOPICS.payments];
    const settings = kafkaSettings(config);
    const bus = await createKafkaBus({ ...settings, clientId: "payments", runtime, publishes });
    await startPayments(config, runtime, { bus });
  },
  process.env,
);
