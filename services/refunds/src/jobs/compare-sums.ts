// Compares the sums that are kept beside refunds and settlements with their rows, a page at a time and forever. A
// difference is a fault of the service or a change by hand; the gauge counts it until it is gone.
import { every, type Runtime } from "@pay/process";
import type { Deps } from "../deps.ts";
import { sumsBroken } from "../metrics.ts";
import {
  type BalancePosition,
  compareBalances,
  compareProject,
  type ProjectPosition,
  type SumsPage,
} from "../storage/sums.ts";

const BALANCES_MAX = 500;
const PROJECTS_MAX = 20;
const REFUNDS_MAX = 100_000;
/** Longer lists help no operator. */
const NAMED_MAX = 20;

/** Reads all pages again and again, and counts the wrong sums of the last pass. */
function createPass<Position>(
  start: Position,
  page: (after: Position) => Promise<SumsPage<Position>>,
) {
  let place = start;
  let before = 0;
  let found = 0;
  return async () => {
    const { last, broken } = await page(place);
    found += broken.length;
    const isOver = last === undefined;
    if (isOver) [before, found] = [found, 0];
    place = last ?? start;
    return { broken, isOver, count: Math.max(before, found) };
  };
}

export function startCompareSums(
  { db }: Deps,
  runtime: Runtime,
  { intervalMs }: { intervalMs: number },
): void {
  const noBalance: BalancePosition = { projectId: "", paymentId: "" };
  const noProject: ProjectPosition = { projectId: "", mode: 0 };
  const passes = {
    payments: createPass(noBalance, (after) => compareBalances(db.pool, after, BALANCES_MAX)),
    projects: createPass(noProject, (after) => compareProject(db.pool, after, REFUNDS_MAX)),
  };
  const pagesMax = { payments: 1, projects: PROJECTS_MAX };
  every({
    name: "comparison of kept sums",
    intervalMs,
    runtime,
    act: async () => {
      for (const kind of ["payments", "projects"] as const) {
        for (let pages = 0; pages < pagesMax[kind]; pages++) {
          const { broken, isOver, count } = await passes[kind]();
          if (broken.length > 0) {
            const named = broken.slice(0, NAMED_MAX);
            runtime.log.error({ of: kind, named }, "kept sums differ from their rows");
          }
          sumsBroken.set({ of: kind }, count);
          if (isOver) break;
        }
      }
    },
  });
}
