// Whether a change of the pepper is complete: counts keys that are not under the current pepper, by version. A version
// that is not configured any more, or not yet, is a fault: its keys do not work.
import { every, type Runtime } from "@pay/process";
import { Gauge } from "prom-client";
import type { PrismaClient } from "../generated/prisma/client.ts";
import type { Peppers } from "./pepper.ts";

const INTERVAL_MS = 60_000;

const elsewhere = new Gauge({
  name: "gateway_keys_by_pepper_version",
  help: "Living API keys that are not under the current pepper, by its version",
  labelNames: ["version"],
});

export function startPepperWatch(
  prisma: PrismaClient,
  { peppers, runtime }: { peppers: Peppers; runtime: Runtime },
): void {
  const known = new Set(peppers.map(({ version }) => version));
  const logged = new Set<number>();
  async function act() {
    // Over all projects: the count is for the operator.
    const counts = await prisma.apiKey.groupBy({
      by: ["pepper_version"],
      where: {
        pepper_version: { not: peppers[0].version },
        revoked_at: null,
        OR: [{ expires_at: null }, { expires_at: { gt: runtime.clock.now() } }],
      },
      _count: { id: true },
    });
    elsewhere.reset();
    for (const { pepper_version: version, _count } of counts) {
      const keys = _count.id;
      elsewhere.set({ version: String(version) }, keys);
      if (known.has(version) || logged.has(version)) continue;
      logged.add(version);
      runtime.log.warn({ version, keys }, "API keys are under a pepper that is not configured");
    }
  }

  every({ name: "watch of the pepper", intervalMs: INTERVAL_MS, runtime, act });
}
