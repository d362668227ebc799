// Runs that are drawn from a seed: a few fixed ones in the suite, others where a command asks for them.
const { TEST_SEED, TEST_RUNS } = process.env;

/** The fixed ones, unless a first one and a count are asked for. */
export function testSeeds(fixed: readonly number[]): readonly number[] {
  if (TEST_SEED === undefined) return fixed;
  return Array.from({ length: Number(TEST_RUNS ?? 1) }, (_, at) => Number(TEST_SEED) + at);
}
