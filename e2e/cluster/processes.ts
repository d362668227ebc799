// Signals to a service's process. The containers of a pod see each other's processes in this installation.
import type { ServiceName } from "@pay/standalone";
import { until } from "@pay/testing";
import type { Kube } from "./kube.ts";
import { RELEASE } from "./release.ts";

function makeScript(signal: string): string {
  return `
    const { readdirSync, readFileSync } = require("node:fs");
    const pids = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
    const own = pids.find((pid) => readFileSync("/proc/" + pid + "/cmdline", "utf8") === "node\\0main.js\\0");
    process.kill(Number(own), "${signal}");`;
}

async function send(kube: Kube, pod: string, signal: string): Promise<void> {
  await kube.kubectl(["exec", pod, "--", "node", "-e", makeScript(signal)]);
}

/** SIGKILL to the process of one pod; ends when the pod is ready again. */
export async function killProcess(kube: Kube, service: ServiceName): Promise<void> {
  const pod = await stayingPod(kube, service);
  const before = await readState(kube, pod);
  await send(kube, pod, "SIGKILL");
  await until(
    async () => {
      const { ready, restartCount } = await readState(kube, pod);
      return ready && restartCount > before.restartCount;
    },
    { timeoutMs: 120_000, what: `${service} killed and ready again` },
  );
}

/** What happens while the process of one pod does not run, though its connections stay open. */
export async function besideFrozen<T>(
  kube: Kube,
  service: ServiceName,
  act: () => Promise<T>,
): Promise<T> {
  const pod = await stayingPod(kube, service);
  await send(kube, pod, "SIGSTOP");
  try {
    return await act();
  } finally {
    await send(kube, pod, "SIGCONT");
    await until(async () => (await readState(kube, pod)).ready, {
      timeoutMs: 120_000,
      what: `${service} ready again`,
    });
  }
}

/** Pods of an older build may still be stopping, or may not have been stopped yet. */
function stayingPod(kube: Kube, service: ServiceName): Promise<string> {
  return until(
    async () => {
      const pods = await kube.get("pods", "-l", `app.kubernetes.io/component=${service}`);
      const staying = pods.items.filter(
        ({ metadata }: { metadata: object }) => !("deletionTimestamp" in metadata),
      );
      const { spec } = await kube.get("deployment", `${RELEASE}-${service}`);
      return staying.length === spec.replicas && staying[0].metadata.name;
    },
    { timeoutMs: 60_000, what: `the pods of ${service} that are to stay` },
  );
}

async function readState(
  kube: Kube,
  pod: string,
): Promise<{ ready: boolean; restartCount: number }> {
  return (await kube.get("pod", pod)).status.containerStatuses[0];
}
