// The order of test files in a run: those that start the whole product first, for they take longest, and a long file at
// the end would leave all workers but one without work. Within both groups the order is Jest's own. Plain JavaScript,
// because the types of Jest's sequencer describe another module than the one that is imported.
import Sequencer from "@jest/test-sequencer";

const WHOLE_PRODUCT = /\/e2e\//;

function rank({ path }) {
  return WHOLE_PRODUCT.test(path) ? 0 : 1;
}

// Jest asks for a default export, and for a class.
export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
