import {
  demoCredentials,
  linkToDashboard,
  printDemoProject,
  writeRunFile,
} from "./demo-project.ts";
import { launch } from "./launch.ts";
import { createProjectByCommand } from "./operator.ts";
import { startProduct } from "./product.ts";

await launch("distributed", process.env, async ({ folder, life, given, say }) => {
  const { parts, environment, projectId, children } = await startProduct({
    folder,
    given,
    log: life.log,
    say,
    onStop: (name, stop) => life.onStop(name, stop),
    onLine: (_, line) => void process.stderr.write(`${line}\n`),
  });
  for (const child of children.values()) {
    void child.exited.then((code) => {
      if (!life.stopping.aborted) life.fatal(new Error(`${child.name} ended (exit code ${code})`));
    });
  }
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
