import { expect, test } from "@jest/globals";
import { toAddress } from "@pay/values";
import { decodeTransferLogs, decodeValueBlock } from "./decode-logs.ts";
import { TRANSFER_TOPIC } from "./domain/transfer.ts";

const TOKEN = toAddress(`0x${"a".repeat(40)}`);
const TX = `0x${"1".repeat(64)}`;
const BLOCK = `0x${"2".repeat(64)}`;
const QUERY = { fromBlock: 10, toBlock: 12, tokens: new Set([TOKEN]) };

function word(hex: string): string {
  return `0x${hex.padStart(64, "0")}`;
}

function log(change: object = {}) {
  return {
    address: TOKEN,
    topics: [TRANSFER_TOPIC, word("b1"), word("c2")],
    data: word("64"),
    blockNumber: "0xa",
    blockHash: BLOCK,
    transactionHash: TX,
    logIndex: "0x3",
    removed: false,
    ...change,
  };
}

test("a transfer has its place, parties and value", () => {
  expect(decodeTransferLogs([log()], QUERY)).toEqual([
    {
      blockNumber: 10,
      blockHash: BLOCK,
      txHash: TX,
      logIndex: 3,
      currency: TOKEN,
      sender: word("b1").replace(/0{24}/, ""),
      recipient: word("c2").replace(/0{24}/, ""),
      value: 100n,
    },
  ]);
});

test.each([
  ["an ERC-721 transfer", { topics: [TRANSFER_TOPIC, word("1"), word("2"), word("3")] }],
  ["a transfer without indexed parties", { topics: [TRANSFER_TOPIC] }],
  ["a party that is no address", { topics: [TRANSFER_TOPIC, `0x${"f".repeat(64)}`, word("2")] }],
  ["no value", { data: word("0") }],
  ["data of another length", { data: "0x64" }],
])("%s is passed over", (_, change) => {
  expect(decodeTransferLogs([log(change)], QUERY)).toEqual([]);
});

test.each([
  ["of another token", [log({ address: `0x${"9".repeat(40)}` })]],
  ["of another event", [log({ topics: [word("1")] })]],
  ["outside the range", [log({ blockNumber: "0xd" })]],
  ["that was removed", [log({ removed: true })]],
  ["twice", [log(), log()]],
  ["out of order", [log({ blockNumber: "0xb" }), log({ logIndex: "0x4" })]],
  ["of two blocks of one height", [log(), log({ blockHash: TX, logIndex: "0x4" })]],
  ["without a place", [log({ logIndex: null })]],
  ["that is no log", [{}]],
])("an answer with a log %s is not believed", (_, answer) => {
  expect(decodeTransferLogs(answer, QUERY)).toBeUndefined();
});

test("an answer that is no list is not believed", () => {
  expect(decodeTransferLogs({ result: [] }, QUERY)).toBeUndefined();
});

test("a block has the native coin that its transactions carry", () => {
  const [from, to] = [`0x${"b".repeat(40)}`, `0x${"c".repeat(40)}`];
  const transactions = [
    { hash: TX, from, to, value: "0x5" },
    { hash: TX, from, to, value: "0x0" },
    { hash: TX, from, to: null, value: "0x7" },
  ];
  const block = { number: "0xa", hash: BLOCK, parentHash: TX, timestamp: "0x64", transactions };
  expect(decodeValueBlock(block, 10)).toMatchObject({
    number: 10,
    timestamp: 100,
    transfers: [{ sender: from, recipient: to, value: 5n, currency: "native" }],
  });
  expect(decodeValueBlock(block, 11)).toBeUndefined();
  expect(decodeValueBlock({ ...block, transactions: ["0x1"] }, 10)).toBeUndefined();
});
