// Whether a change of the pepper is complete: counts keys that are not under the current pepper, by version. A version
// that is not configured any more, or not yet, is a fault: its keys do not work.
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { Gauge } from "prom-client";
import type { Peppers } from "./pepper.ts";

const INTERVAL_MS = 60_000;

const elsewhere = new Gauge({
  name: "gateway_keys_by_pepper_version",
  help: "Living API keys that are not under the current pepper, by its version",
  labelNames: ["version"],
});

// Of all projects: the count is for the operator.
const COUNT = `select pepper_version as version, count(project_id)::int as keys from api_keys
  where pepper_version <> $1 and revoked_at is null and (expires_at is null or expires_at > $2)
  group by pepper_version`;

export function startPepperWatch(
  pool: Pool,
  { peppers, runtime }: { peppers: Peppers; runtime: Runtime },
): void {
  const known = new Set(peppers.map(({ version }) => version));
  const logged = new Set<number>();
  async function act() {
    const { rows } = await pool.query<{ version: number; keys: number }>(COUNT, [
      peppers[0].version,
      runtime.clock.now(),
    ]);
    elsewhere.reset();
    for (const { version, keys } of rows) {
      elsewhere.set({ version: String(version) }, keys);
      if (known.has(version) || logged.has(version)) continue;
      logged.add(version);
      runtime.log.warn({ version, keys }, "API keys are under a pepper that is not configured");
    }
  }

  every({ name: "watch of the pepper", intervalMs: INTERVAL_MS, runtime, act });
}
