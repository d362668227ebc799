import { createKafkaBus, createLocalBus, kafkaConfig, kafkaSettings } from "@pay/events";
import { readConfig } from "@pay/process";
import { z } from "zod";
import { demoCredentials, introduce, writeRunFile } from "./demo-project.ts";
import { environmentOf } from "./environment.ts";
import { launch } from "./launch.ts";
import { createProjectByCommand } from "./operator.ts";
import { startParts } from "./parts.ts";
import { startServices } from "./services.ts";

await launch("standalone", process.env, async ({ folder, life, given, say }) => {
  const { log } = life;
  const onStop = (name: string, stop: () => Promise<void>) => life.onStop(name, stop);
  const parts = await startParts({ folder, given, log, say, onStop }, { kafka: false });
  const environment = await environmentOf(folder, parts, given);
  const allStarted = Promise.withResolvers<void>();
  const bus = environment.KAFKA_BROKERS
    ? await createKafkaBus({
        ...kafkaSettings(readConfig(z.object(kafkaConfig), environment)),
        clientId: "standalone",
        runtime: life,
      })
    : createLocalBus({ openWhen: allStarted.promise });
  await startServices(environment, life, bus);
  allStarted.resolve();

  writeRunFile(folder, environment, parts);
  const credentials = await demoCredentials(folder, environment, parts, () =>
    createProjectByCommand("Demo", environment),
  );
  if (environment.WEBHOOKS_ALLOW_HTTP !== "1") {
    say(
      "webhooks: loopback receivers are allowed here, over https (WEBHOOKS_ALLOW_HTTP=1 allows http)",
    );
  } else say("webhooks: loopback receivers are allowed here, over http too");
  introduce(credentials, say);
  return credentials.baseUrl;
});
