import { expect, test } from "@jest/globals";
import { toAddress, toAmount, toTxHash } from "@pay/values";
import type { RawTransfer } from "../providers/decode-logs.ts";
import { splitTransfers } from "./split-transfers.ts";

/** Transfers to a wallet, "name: values". */
function transfers(...wallets: readonly string[]): RawTransfer[] {
  return wallets.flatMap((wallet) => {
    const [name = "", values = ""] = wallet.split(": ");
    return values.split(" ").map((value) => ({
      blockNumber: 1,
      blockHash: "0x01",
      txHash: toTxHash("0x02"),
      logIndex: 0,
      currency: toAddress("0xaa"),
      sender: toAddress("0xbb"),
      recipient: toAddress(`0x${name}`),
      value: toAmount(BigInt(value)),
    }));
  });
}

function values(found: readonly RawTransfer[]): string {
  return found.map(({ value }) => value).join(" ");
}

test.each([
  ["what a usual block holds", ["a1: 5000 4000 3000"], "", "5000 4000 3000"],
  ["dust before a payment", ["a1: 1 1 5000"], "5000", "1 1"],
  ["a thousandth is no dust", ["a1: 5 5000"], "", "5 5000"],
  [
    "dust of one wallet, the money of others",
    ["a1: 1 5000", "a2: 7", "a3: 2 2"],
    "5000 7 2 2",
    "1",
  ],
  ["nothing but dust", ["a1: 1 1 1"], "", "1 1 1"],
])("splits %s", (_, wallets, first, rest) => {
  const split = splitTransfers(transfers(...wallets));
  expect([values(split.first), values(split.rest)]).toEqual([first, rest]);
});

test("takes the first twenty of a wallet that gets many of one size", () => {
  const split = splitTransfers(transfers(`a1: ${"3 ".repeat(24)}3`, "a2: 4"));
  expect([split.first.length, split.rest.length]).toEqual([21, 5]);
});
