// A change is decided on a row as it was read, and written only where the row still has that version. Where it has
// another one, the row is read again and the change decided again, within a bound.
import { Failure } from "@pay/failures";

const TRIES_MAX = 4;

function tooQuickly(what: string): Failure {
  return new Failure("state_contended", `The ${what} is changing too quickly`);
}

/** Runs attempts until one has an answer; an attempt has none when its row had changed before it was written. */
export async function retryOnStaleVersion<R>(
  what: string,
  attempt: () => Promise<R | undefined>,
): Promise<R> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const answer = await attempt();
    if (answer !== undefined) return answer;
  }
  throw tooQuickly(what);
}

/** The same for a list: an attempt answers each item it is given, and the items without an answer are tried again. */
export async function retryItemsOnStaleVersion<T, R>({
  what,
  items,
  attempt,
}: {
  what: string;
  items: readonly T[];
  attempt: (items: T[]) => Promise<(R | undefined)[]>;
}): Promise<(R | Failure)[]> {
  const answers: (R | Failure)[] = items.map(() => tooQuickly(what));
  let open = items.map((item, index) => ({ item, index }));
  for (let tries = 0; tries < TRIES_MAX && open.length > 0; tries++) {
    const round = await attempt(open.map(({ item }) => item));
    open = open.filter(({ index }, at) => {
      const answer = round[at];
      if (answer !== undefined) answers[index] = answer;
      return answer === undefined;
    });
  }
  return answers;
}
