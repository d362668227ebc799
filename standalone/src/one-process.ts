import { createKafkaBus, createLocalBus, kafkaConfig, kafkaSettings } from "@pay/events";
import { readConfig, startAdminPort, startTracing, variable } from "@pay/process";
import { z } from "zod";
import {
  demoCredentials,
  linkToDashboard,
  printDemoProject,
  writeRunFile,
} from "./demo-project.ts";
import { buildEnvironment } from "./environment.ts";
import { launch } from "./launch.ts";
import { createProjectByCommand } from "./operator.ts";
import { startParts } from "./parts.ts";
import { payingWallet } from "./paying-wallet.ts";

await launch("standalone", process.env, async ({ folder, life, given: chosen, say }) => {
  const { log } = life;
  // A receiver on the same machine needs no TLS; the distributed form and installations require https.
  const given = { ...chosen, WEBHOOKS_ALLOW_HTTP: chosen.WEBHOOKS_ALLOW_HTTP || "1" };
  function onStop(name: string, stop: () => Promise<void>) {
    return life.onStop(name, stop);
  }

  await startTracing(life, "development", given);
  // The modules of the services are loaded while Postgres and the chain start.
  const [parts, { startServices }] = await Promise.all([
    startParts({ folder, given, log, say, onStop }, { kafka: false }),
    import("./services.ts"),
  ]);
  const wallet = await payingWallet(folder, parts, given);
  const environment = {
    ...(await buildEnvironment(folder, parts, given)),
    ...wallet.environment,
  };
  const allStarted = Promise.withResolvers<void>();
  const bus = environment.KAFKA_BROKERS
    ? await createKafkaBus({
        ...kafkaSettings(readConfig(z.object(kafkaConfig), environment)),
        clientId: "standalone",
        runtime: life,
      })
    : createLocalBus({ openWhen: allStarted.promise });
  const { ADMIN_PORT } = readConfig(z.object({ ADMIN_PORT: variable.port(0) }), environment);
  const adminPort = await startAdminPort(life, { port: ADMIN_PORT });
  await startServices(environment, life, bus);
  allStarted.resolve();

  const adminUrl = `http://127.0.0.1:${adminPort}`;
  writeRunFile(folder, { environment, parts, adminUrl });
  const credentials = await demoCredentials(folder, environment, parts, () =>
    createProjectByCommand("Demo", environment, { testKeys: true, id: wallet.projectId }),
  );
  const schemes = environment.WEBHOOKS_ALLOW_HTTP === "1" ? "http and https" : "https";
  say(`webhooks: receivers on this machine are allowed here, over ${schemes}`);
  printDemoProject(credentials, {
    folder,
    dashboard: await linkToDashboard(environment, credentials),
    brokers: environment.KAFKA_BROKERS,
    say,
  });
  return credentials.baseUrl;
});
