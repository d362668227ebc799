// What a slow receiver of a merchant gets: twenty events at once to one that takes 2.5 seconds, and the rests between
// the attempts of four events to one that never answers. The second takes more than a minute, as its attempts do.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figure } from "./figures.ts";
import {
  type Actor,
  type NeighbourStage,
  orderOn,
  startNeighbourStage,
} from "./parts/neighbour-stage.ts";
import { untilTrue } from "./parts/until-true.ts";
import { withUndo } from "./parts/with-undo.ts";

const SLOW_EVENTS = 20;
const HANGING_EVENTS = 4;
const RESTS_S = [1, 5, 30];
const TIMEOUT_S = 10;

export async function run(): Promise<void> {
  await withUndo(async (undo) => {
    const folder = await mkdtemp(join(tmpdir(), "bench-slow-receivers-"));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const stage = await startNeighbourStage(folder, undo);
    await measureSlow(stage);
    await measureHanging(stage);
  });
}

async function publish(stage: NeighbourStage, callbackUrl: string, count: number): Promise<void> {
  const actor: Actor = await stage.createActor();
  await actor.ask("PUT", "/v1/projects/me", { callbackUrl });
  const orders = Array.from({ length: count }, () => orderOn(stage.chainId));
  await Promise.all(orders.map((order) => actor.ask("POST", "/v1/payments", order)));
}

async function measureSlow(stage: NeighbourStage): Promise<void> {
  const begunAt = performance.now();
  await publish(stage, stage.receivers.slow, SLOW_EVENTS);
  const answered = () => stage.received.slow.flatMap(({ endedAt }) => endedAt ?? []);
  await untilTrue(async () => answered().length >= SLOW_EVENTS);
  const last = Math.max(...answered());
  figure("slow_receivers.delivered_20", (last - begunAt) / 1_000, "s");
}

async function measureHanging(stage: NeighbourStage): Promise<void> {
  await publish(stage, stage.receivers.hanging, HANGING_EVENTS);
  const attempts = RESTS_S.length + 1;
  const { hanging } = stage.received;
  await untilTrue(async () => hanging.length >= HANGING_EVENTS * attempts);
  const events = [...Map.groupBy(hanging, ({ id }) => id).values()];
  for (const [at, restS] of RESTS_S.entries()) {
    const rests = events.map((requests) => {
      const [one, next] = [requests[at]?.at ?? Number.NaN, requests[at + 1]?.at ?? Number.NaN];
      return (next - one) / 1_000 - TIMEOUT_S;
    });
    const name = `slow_receivers.hanging_rest_${restS}`;
    figure(`${name}.shortest`, Math.min(...rests), "s after the failure");
    figure(`${name}.longest`, Math.max(...rests), "s after the failure");
  }
}
