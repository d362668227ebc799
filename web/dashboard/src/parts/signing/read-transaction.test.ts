import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { readAmount, readTransaction } from "./read-transaction.ts";

const TRANSFER = "0xa9059cbb";
const APPROVE = "0x095ea7b3";
const FROM = `0x${"aa".repeat(20)}`;

function address(): string {
  return `0x${randomBytes(20).toString("hex")}`;
}

function encodeCall(selector: string, to: string, value: bigint): string {
  return selector + to.slice(2).padStart(64, "0") + value.toString(16).padStart(64, "0");
}

function unsigned(change: { to: string; value?: string; data?: string }) {
  return { chainId: 1, from: FROM, value: "0x0", data: "0x", ...change };
}

test("a thousand transfers of tokens and of coins are read as they were written", () => {
  for (let nth = 0; nth < 500; nth++) {
    const [token, to] = [address(), address()];
    const baseAmount = BigInt(`0x${randomBytes(1 + (nth % 32)).toString("hex")}`);
    const data = encodeCall(TRANSFER, to, baseAmount);
    expect(readTransaction(unsigned({ to: token, data }))).toEqual({
      currency: token,
      to,
      baseAmount,
    });
    const value = `0x${baseAmount.toString(16)}`;
    const native = { currency: "native", to, baseAmount };
    expect(readTransaction(unsigned({ to, value }))).toEqual(native);
  }
});

test("another call, a longer one and a call with coins are not read", () => {
  const to = address();
  const data = encodeCall(TRANSFER, address(), 1n);
  const approval = encodeCall(APPROVE, address(), 1n);
  for (const change of [{ data: approval }, { data: `${data}00` }, { data, value: "0x1" }]) {
    expect(readTransaction(unsigned({ to, ...change }))).toBeUndefined();
  }
});

test("an amount has the decimals of its token", () => {
  const transfer = { currency: "native", to: FROM, baseAmount: 410_000_000n };
  expect(readAmount(transfer, 6)).toBe("410");
  expect(readAmount(transfer, 18)).toBe("0.00000000041");
});
