import { expect, test } from "@jest/globals";
import { chosenBy } from "./matching.ts";

const VALUE = 15;

interface Given {
  signed?: number[];
  bound?: number[];
  exact?: number[];
  open?: number[];
}

function chosen({ signed = [], bound = [], exact = [], open = [] }: Given): readonly number[] {
  return chosenBy({ signed, bound, exact, open }, (amount) => amount === VALUE);
}

test.each([
  [
    "the payment that its sender signed for, also where others ask for its amount",
    { signed: [20], bound: [20, 15], exact: [15, 15] },
    [20],
  ],
  ["the payment of its sender", { bound: [20], open: [20] }, [20]],
  [
    "all payments of its sender, where one asks for its amount",
    { bound: [20, 15], exact: [15] },
    [20, 15],
  ],
  ["the sender's payment of its amount, beside another one", { bound: [15], exact: [15] }, [15]],
  [
    "none, where another payment asks for its amount and the sender's do not",
    { bound: [20], exact: [15] },
    [],
  ],
  ["the only payment of its amount", { exact: [15], open: [15, 20] }, [15]],
  ["none of two payments of its amount", { exact: [15, 15], open: [15, 15] }, []],
  ["the only payment there is", { open: [20] }, [20]],
  ["none of two other payments", { open: [20, 30] }, []],
])("a transfer that no one named goes to %s", (_what, given, expected) => {
  expect(chosen(given)).toEqual(expected);
});
