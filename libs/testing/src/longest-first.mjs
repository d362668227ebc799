// The order of test files in a run: the longest first, for a long file at the end would leave all workers but one
// without work. A fresh clone has no times of an earlier run, so longest-files.ts names them; the other files that
// start the whole product follow, then all others in Jest's own order. Plain JavaScript, because the types of Jest's
// sequencer describe another module than the one that is imported.
import Sequencer from "@jest/test-sequencer";
import { LONGEST } from "./longest-files.ts";

const WHOLE_PRODUCT = /\/e2e\//;

function rank({ path }) {
  const index = LONGEST.findIndex((name) => path.endsWith(`/${name}`));
  if (index >= 0) return index;
  return WHOLE_PRODUCT.test(path) ? LONGEST.length : LONGEST.length + 1;
}

// Jest asks for a default export, and for a class.
export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
