import { expect, test } from "@jest/globals";
import { classifyRpcError } from "./classify-rpc-error.ts";

test.each([
  [-32_000, "already known", "already_known", undefined],
  [-32_010, "Transaction with the same hash was already imported.", "already_known", undefined],
  [-32_000, "known transaction: 1f2e", "already_known", undefined],
  [-32_000, "unknown transaction", "refused", undefined],
  [-32_000, "nonce too low: next nonce 7, tx nonce 5", "nonce_too_low", undefined],
  [-32_003, "nonce too high", "nonce_too_high", undefined],
  [-32_000, "replacement transaction underpriced", "underpriced", undefined],
  [-32_000, "max fee per gas less than block base fee", "underpriced", undefined],
  [-32_000, "insufficient funds for gas * price + value", "no_funds", undefined],
  [3, "execution reverted: insufficient funds", "reverted", undefined],
  [-32_005, "query returned more than 10000 results", "too_wide", undefined],
  [-32_602, "query exceeds max block range 100000", "too_wide", undefined],
  [-32_000, "block range is too wide", "too_wide", undefined],
  [-32_600, "eth_getLogs is limited to a 10,000 blocks range", "too_wide", 10_000],
  [-32_614, "eth_getLogs is limited to 1k blocks", "too_wide", 1_000],
  [
    -32_602,
    "Log response size exceeded. this block range should work: [0x100, 0x1ff]",
    "too_wide",
    256,
  ],
  [-32_000, "exceed maximum block range: 5000", "too_wide", undefined],
  [-32_005, "daily request count exceeded, request rate limited", "busy", undefined],
  [-32_005, "limit exceeded", "busy", undefined],
  [429, "Too Many Requests", "busy", undefined],
  [-32_000, "header not found", "unknown_block", undefined],
  [-32_602, "block range extends beyond current head block", "unknown_block", undefined],
  [-32_601, "the method does not exist", "refused", undefined],
])("the refusal %i %s is %s", (code, message, kind, blocksMax) => {
  expect(classifyRpcError({ code, message })).toEqual(blocksMax ? { kind, blocksMax } : { kind });
});

test("only the first 500 characters of a provider's text are read", () => {
  const filled = "1,".repeat(245);
  expect(classifyRpcError({ message: `${filled} quota` })).toEqual({ kind: "busy" });
  expect(classifyRpcError({ message: `${filled}1,1,1,1,1,1 quota` })).toEqual({ kind: "refused" });
});
