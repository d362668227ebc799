/** The outcome of a list: the result of each run, and the items that failed, each with its error. */
export interface Outcome<T, R> {
  results: R[];
  faults: Map<T, unknown>;
}

/**
 * Runs a whole list. Where the run fails because of an item, each item is run alone, so that the fault stays with the
 * item that has it. Any other error is thrown, because it would fail every item alike.
 */
export async function runAllElseOneByOne<T, R>(
  items: readonly T[],
  options: { run: (list: readonly T[]) => Promise<R>; isFaultOfItem: (error: unknown) => boolean },
): Promise<Outcome<T, R>> {
  const { run, isFaultOfItem } = options;
  const faults = new Map<T, unknown>();
  const results: R[] = [];
  async function attempt(list: readonly T[]): Promise<boolean> {
    try {
      results.push(await run(list));
      return true;
    } catch (error) {
      if (!isFaultOfItem(error)) throw error;
      for (const item of list) faults.set(item, error);
      return false;
    }
  }

  if (items.length === 0) return { results, faults };
  if ((await attempt(items)) || items.length === 1) return { results, faults };
  faults.clear();
  for (const item of items) await attempt([item]);
  return { results, faults };
}

/** The first item of each key, in order; an item without a key is always kept. */
export function firstPerKey<T>(items: readonly T[], getKey: (item: T) => string | undefined): T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = getKey(item);
    if (key === undefined) return true;
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
}
