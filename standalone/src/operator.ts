import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { NewProject } from "./demo-project.ts";
import type { Environment } from "./parts.ts";

/** A busy machine takes long to start a process. */
const TIMEOUT_MS = 90_000;
const COMMAND = fileURLToPath(
  new URL("../../services/gateway/src/operator/main.ts", import.meta.url),
);

/** Creates a project with the operator's command, beside a running product. */
export async function createProjectByCommand(
  name: string,
  environment: Environment,
  { testKeys = false, id }: { testKeys?: boolean; id?: string } = {},
): Promise<NewProject> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      COMMAND,
      "--name",
      name,
      "--json",
      ...(testKeys ? ["--test-keys"] : []),
      ...(id === undefined ? [] : ["--id", id]),
    ],
    { env: environment, timeout: TIMEOUT_MS },
  );
  return JSON.parse(stdout) as NewProject;
}
