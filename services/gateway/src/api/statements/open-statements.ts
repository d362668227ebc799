// The statements that a process sends at present. Each holds a page in memory and reads other services for as long as
// its client takes, so all of them are bounded, and those of one project by less: it must not use up what the others
// need.
import { Failure } from "@pay/failures";

const OPEN_MAX = 64;
export const OPEN_OF_ONE_MAX = 8;

const open = new Map<string, number>();

function countOpen(projectId: string): number {
  return open.get(projectId) ?? 0;
}

function count(projectId: string, change: 1 | -1): void {
  const left = countOpen(projectId) + change;
  if (left === 0) open.delete(projectId);
  else open.set(projectId, left);
}

/** Checks and counts in one step, when the first piece is asked for. */
export async function* countedAsOpen(
  projectId: string,
  pieces: () => AsyncGenerator<string>,
): AsyncGenerator<string> {
  if (countOpen(projectId) >= OPEN_OF_ONE_MAX) {
    const most = `This project reads ${OPEN_OF_ONE_MAX} statements already`;
    throw new Failure("rate_limited", most);
  }
  const all = [...open.values()].reduce((sum, one) => sum + one, 0);
  if (all >= OPEN_MAX)
    throw new Failure("service_overloaded", "Too many statements are being read");
  count(projectId, 1);
  try {
    yield* pieces();
  } finally {
    count(projectId, -1);
  }
}
