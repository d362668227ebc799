import { expect, test } from "@jest/globals";
import { toAddress, toAmount, toTxHash } from "@pay/values";
import { getKey, innerTransfers, nativeTransfer, type Transfer } from "./transfer.ts";

const A = toAddress("0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
const B = toAddress("0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb");
const HASH = toTxHash(`0x${"01".repeat(32)}`);

type Frame = Parameters<typeof innerTransfers>[1];
function frame(type: string, value: bigint, calls: Frame[] = [], failed = false): Frame {
  return { type, from: A, to: B, value: toAmount(value), failed, calls };
}

function moved(root: Frame) {
  return innerTransfers(HASH, root).map(({ value }) => value);
}

test("inner calls, creations and ends move native coin; the transaction's own value is not among them", () => {
  const root = frame("CALL", 100n, [
    frame("CALL", 1n, [frame("CREATE", 2n), frame("CREATE2", 3n)]),
    frame("SELFDESTRUCT", 4n),
  ]);
  expect(moved(root)).toEqual([1n, 2n, 3n, 4n]);
});

test("delegated and static calls move nothing, but what they call does", () => {
  const root = frame("CALL", 0n, [
    frame("DELEGATECALL", 9n, [frame("CALL", 1n)]),
    frame("STATICCALL", 9n),
    frame("CALLCODE", 9n),
  ]);
  expect(moved(root)).toEqual([1n]);
});

test("what was done inside a failed call was undone", () => {
  const root = frame("CALL", 0n, [
    frame("CALL", 5n, [frame("CALL", 6n)], true),
    frame("CALL", 7n, [frame("CALL", 8n, [], true)]),
  ]);
  expect(moved(root)).toEqual([7n]);
  expect(moved(frame("CALL", 0n, [frame("CALL", 1n)], true))).toEqual([]);
});

test("a movement has the same ordinal in every node's trace, and equal ones have different ones", () => {
  const [one, two] = [frame("CALL", 1n), frame("CALL", 2n)];
  const plain = innerTransfers(HASH, frame("CALL", 0n, [one, two, one]));
  // Another node shows a call more, and in another order.
  const other = innerTransfers(HASH, frame("CALL", 0n, [frame("CALL", 9n, [two]), one, one]));
  function keys(transfers: Transfer[]) {
    return transfers.flatMap((transfer) => (transfer.value === 9n ? [] : getKey(transfer))).sort();
  }

  expect(keys(other)).toEqual(keys(plain));
  expect(new Set(keys(plain)).size).toBe(3);
});

test("a creation and an empty transaction carry nothing", () => {
  expect(nativeTransfer(HASH, { from: A, to: null, value: toAmount(5n) })).toEqual([]);
  expect(nativeTransfer(HASH, { from: A, to: B, value: toAmount(0n) })).toEqual([]);
  expect(nativeTransfer(HASH, { from: A, to: B, value: toAmount(5n) })).toMatchObject([
    { kind: "native", sender: A, recipient: B, value: 5n, currency: "native" },
  ]);
});
