// A cluster of three brokers for one test: what replicas, several fetches at once and a rebalance do is not seen with
// one.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leasePort, startKafka } from "@pay/embedded";

const HOST = "127.0.0.1";
const NODES = [1, 2, 3] as const;

export interface ThreeBrokers {
  brokers: string[];
  drop(): Promise<void>;
}

export async function startThreeBrokers(): Promise<ThreeBrokers> {
  const folder = await mkdtemp(join(tmpdir(), "pay-brokers-"));
  const nodes = [];
  for (const id of NODES) {
    nodes.push({ id, port: await leasePort(), controllerPort: await leasePort() });
  }
  const voters = nodes.map(({ id, controllerPort }) => `${id}@${HOST}:${controllerPort}`).join(",");
  const started = await Promise.all(
    nodes.map(({ id, port, controllerPort }) =>
      startKafka({
        dataDir: join(folder, `${id}`),
        port,
        settings: {
          "node.id": id,
          "controller.quorum.voters": voters,
          listeners: `PLAINTEXT://${HOST}:${port},CONTROLLER://${HOST}:${controllerPort}`,
        },
      }),
    ),
  );
  return {
    brokers: started.flatMap(({ brokers }) => brokers),
    drop: async () => {
      await Promise.all(started.map((one) => one.kill()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
