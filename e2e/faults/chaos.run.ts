// npm run chaos -- --seed 1 --runs 20: three random faults at once under mixed load, then all is healed, and the
// account must be exact. A seed draws the same faults again.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createRandom, testSeeds } from "@pay/testing";
import { startLoad } from "../cluster/load.ts";
import { openShop } from "../harness/merchant.ts";
import { asSuperuser } from "../harness/superuser.ts";
import { takeAccount } from "./account.ts";
import { compareMoney } from "./chaos-chain.ts";
import { drawFaults, type Timed } from "./chaos-faults.ts";
import { openTheatre, type Stage, type Theatre } from "./chaos-stage.ts";
import { figure } from "./figure.ts";

const LIMIT_MS = 600_000;
const QUIET_MS = 3_000;

let theatre: Theatre;
let runs = 0;
let green = 0;

beforeAll(async () => {
  theatre = await openTheatre();
}, LIMIT_MS);
afterAll(async () => {
  figure("chaos.runs", runs);
  figure("chaos.green", green);
  await theatre?.stop();
}, LIMIT_MS);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function inflict(stage: Stage, fault: Timed): Promise<void> {
  await pause(fault.afterMs);
  await fault.begin(stage);
  await pause(fault.forMs);
  await fault.end(stage);
}

test.each(testSeeds([1]))(
  "seed %i",
  async (seed) => {
    runs++;
    const faults = drawFaults(createRandom(seed));
    const story = faults.map(
      ({ name, afterMs, forMs }) => `${name} (${afterMs} to ${afterMs + forMs} ms)`,
    );
    process.stdout.write(`seed ${seed}: ${story.join("; ")}\n`);
    const { cluster, chain, routes } = theatre;
    const since = new Date();
    const credentials = {
      ...(await cluster.createProject(`Seed ${seed}`)),
      chainRpcUrl: `http://127.0.0.1:${routes.payers.port}`,
    };
    const shop = await openShop(credentials);
    try {
      const load = await startLoad(shop);
      const stage = { ...theatre, shop };
      await pause(QUIET_MS);
      const endsBefore = theatre.countOwnEnds();
      await Promise.all(faults.map((fault) => inflict(stage, fault)));
      const healedAt = performance.now();
      await theatre.untilReady();
      const readyS = (performance.now() - healedAt) / 1_000;
      const after = load.phase("healed");
      await pause(QUIET_MS);
      await load.stop();

      const account = await takeAccount({
        shop,
        since,
        acknowledged: load.acknowledged,
        brokers: cluster.kafka.brokers,
        adminUrl: (name) => cluster.postgres.superuserUrl(name),
      });
      const { rows: counted } = await asSuperuser(
        cluster,
        "payments",
        `select id, '0x' || encode(coalesce(money_tx_hash, tx_hash), 'hex') as tx_hash, final_base_amount::text as base_amount
         from payments where project_id = '${credentials.projectId}' and confirmed_at is not null`,
      );
      account.faults.push(...(await compareMoney(chain.rpcUrl, counted)));
      const { rows, events, drainedS, faults: wrong } = account;
      process.stdout.write(
        `  ${wrong.length === 0 ? "exact" : "WRONG"}: ${load.acknowledged.resources.size} acknowledged, ${rows} rows, ${events} events, ` +
          `${counted.length} paid; ready after ${readyS.toFixed(1)} s, drained after ${drainedS.toFixed(1)} s; ` +
          `${theatre.countOwnEnds() - endsBefore} services ended by themselves; ${after.failed.length} calls failed when healed\n`,
      );
      expect(wrong).toEqual([]);
      green++;
    } finally {
      await shop.receiver.stop();
    }
  },
  LIMIT_MS,
);
