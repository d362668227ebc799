import { setTimeout as wait } from "node:timers/promises";
import type { Child } from "./children.ts";
import {
  demoCredentials,
  linkToDashboard,
  printDemoProject,
  writeRunFile,
} from "./demo-project.ts";
import { launch } from "./launch.ts";
import { createProjectByCommand } from "./operator.ts";
import { startProduct } from "./product.ts";

/** For what it held: its port, its turn as the leader. */
const RESTART_PAUSE_MS = 1_000;

await launch("distributed", process.env, async ({ folder, life, given, say }) => {
  const { parts, environment, projectId, children, restart } = await startProduct({
    folder,
    given,
    log: life.log,
    say,
    onStop: (name, stop) => life.onStop(name, stop),
    onLine: (_, line) => void process.stderr.write(`${line}\n`),
  });
  /** A service that ends is started again, as Kubernetes does, until it cannot be. */
  async function keep(child: Child): Promise<void> {
    const code = await child.exited;
    if (life.stopping.aborted) return;
    say(`${child.name} ended (exit code ${code}) and is started again`);
    await wait(RESTART_PAUSE_MS);
    if (!life.stopping.aborted) await keep(await restart(child.name));
  }

  for (const child of children.values()) void keep(child).catch(life.fatal);
  writeRunFile(folder, { environment, parts });
  const credentials = await demoCredentials(folder, environment, parts, () =>
    createProjectByCommand("Demo", environment, { testKeys: true, id: projectId }),
  );
  printDemoProject(credentials, {
    folder,
    dashboard: await linkToDashboard(environment, credentials),
    brokers: environment.KAFKA_BROKERS,
    say,
  });
  return credentials.baseUrl;
});
