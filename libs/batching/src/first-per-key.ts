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
