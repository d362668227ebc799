// What a merchant notices of another actor that takes all it can get of a resource: for each resource on the page of
// shares the p99 of the merchant, quiet and under attack, as medians of rounds. `--only NAME` measures one resource,
// `--rounds N` changes their number. The product is the local one, in one process, so that nothing else divides the
// actors.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { figure, median } from "./figures.ts";
import type { Attack } from "./parts/attacker.ts";
import { type Part, startPart } from "./parts/child.ts";
import { ATTACKS } from "./parts/neighbour-attacks.ts";
import { type NeighbourStage, startNeighbourStage } from "./parts/neighbour-stage.ts";
import { withUndo } from "./parts/with-undo.ts";

const PAGE = join(import.meta.dirname, "../docs/decisions/0012-a-share-for-everyone.md");
const ATTACKER = join(import.meta.dirname, "parts/attacker.ts");
const ROUNDS = 9;
const ROUND_MS = 2_000;
/** Until an attack has its effect, and until it has none any more. */
const SETTLE_MS = 300;

export async function run(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { only: { type: "string", multiple: true }, rounds: { type: "string" } },
  });
  const listed = await readResources();
  const resources = values.only ?? listed;
  const rounds = Number(values.rounds ?? ROUNDS);
  await withUndo(async (undo) => {
    const folder = await mkdtemp(join(tmpdir(), "bench-neighbours-"));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const stage = await startNeighbourStage(folder, undo);
    const attacker = startPart(ATTACKER);
    undo.push(attacker.stop);
    await stage.measure.requests(ROUND_MS);
    for (const resource of resources) await compare(stage, { attacker, resource, rounds });
  });
}

/** In the order of the page, each once. */
async function readResources(): Promise<string[]> {
  const rows = (await readFile(PAGE, "utf8")).matchAll(
    /^\| (?:gateway|payments|refunds|chains|webhooks|all) \| ([^|]+) \|/gm,
  );
  return [...rows].map(([, resource = ""]) => resource);
}

async function compare(
  stage: NeighbourStage,
  { attacker, resource, rounds }: { attacker: Part; resource: string; rounds: number },
): Promise<void> {
  const prepare = ATTACKS[resource];
  if (prepare === undefined) throw new Error(`the resource "${resource}" has no attack`);
  const {
    measure = "requests",
    begin,
    end,
    ...load
  } = await prepare(await stage.createActor(), stage);
  const quiet: number[] = [];
  const attacked: number[] = [];
  const answers = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    quiet.push(await stage.measure[measure](ROUND_MS));
    await begin?.();
    const attack: Attack = { port: stage.port, durationMs: ROUND_MS + SETTLE_MS, ...load };
    const done = attacker.ask<{ statuses: Record<string, number> }>(attack);
    await settle();
    attacked.push(await stage.measure[measure](ROUND_MS));
    for (const [status, count] of Object.entries((await done).statuses)) {
      answers.set(status, (answers.get(status) ?? 0) + count);
    }
    await end?.();
    await settle();
  }
  const name = `neighbours.${resource.replaceAll(" ", "_")}`;
  figure(`${name}.quiet_p99`, median(quiet), "ms");
  figure(`${name}.attacked_p99`, median(attacked), "ms");
  figure(`${name}.ratio`, median(attacked) / median(quiet), "");
  const seen = [...answers].map(([status, count]) => `${count} x ${status}`).join(", ");
  process.stdout.write(`  the attacker got ${seen || "nothing"}\n`);
}

function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
}
