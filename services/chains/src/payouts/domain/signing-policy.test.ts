import { expect, test } from "@jest/globals";
import { toAddress, toAmount, toChainId } from "@pay/values";
import type { NewIntent } from "./intent.ts";
import { heldBy, type SigningPolicy } from "./signing-policy.ts";

const PAYER = toAddress(`0x${"1".repeat(40)}`);
const TREASURY = toAddress(`0x${"2".repeat(40)}`);
const SHOP = toAddress(`0x${"3".repeat(40)}`);
const TOKEN = toAddress(`0x${"4".repeat(40)}`);

const intent: NewIntent = {
  kind: "transfer",
  subjectId: "refund_000000000000000000000000",
  projectId: "proj_A",
  mode: 1,
  requestId: "",
  paymentId: "pay_1",
  chainId: toChainId(1),
  source: SHOP,
  destination: PAYER,
  currency: TOKEN,
  decimals: 6,
  baseAmount: toAmount(5_000_000n),
  owedSince: new Date(0),
  version: 1,
};
const settlement = { ...intent, subjectId: "stl_000000000000000000000000", destination: TREASURY };

const policy: SigningPolicy = {
  projectId: "proj_A",
  mode: 1,
  refundsTo: "payer",
  sweepAfterMs: 0,
  maxFeePerGas: 1n,
  limits: new Map([[TOKEN, { transactionMax: "5", dayMax: "7.5" }]]),
  settlementsTo: new Set([TREASURY]),
};
const sent = { refundable: 5_000_000n, today: toAmount(2_500_000n), decimals: 6 };

test("what the policy allows is signed, up to its limits", () => {
  expect(heldBy(policy, intent, sent)).toBeUndefined();
  expect(heldBy(policy, settlement, { ...sent, refundable: 0n })).toBeUndefined();
});

test.each([
  ["owner", { projectId: "proj_B" }, {}],
  ["owner", { mode: 2 }, {}],
  ["currency", { currency: "native" }, {}],
  ["destination", {}, { refundable: 0n }],
  ["destination", { source: PAYER }, {}],
  ["destination", {}, { refundable: 4_999_999n }],
  ["transaction_limit", { baseAmount: toAmount(5_000_001n) }, {}],
  ["day_limit", {}, { today: toAmount(2_500_001n) }],
  ["transaction_limit", {}, { decimals: 5 }],
  ["transaction_limit", { decimals: 30, baseAmount: toAmount(5_000_001n) }, {}],
  ["currency", {}, { decimals: undefined }],
] as const)("it holds for %s: %j %j", (reason, change, facts) => {
  expect(heldBy(policy, { ...intent, ...change }, { ...sent, ...facts })).toBe(reason);
});

test("a refund may go anywhere where the operator says so, a settlement only to a named treasury", () => {
  const open: SigningPolicy = { ...policy, refundsTo: "anyone" };
  expect(heldBy(open, { ...intent, destination: TREASURY }, sent)).toBeUndefined();
  expect(heldBy(open, { ...intent, destination: SHOP }, sent)).toBe("destination");
  expect(heldBy(open, { ...intent, destination: TOKEN }, sent)).toBe("destination");
  expect(heldBy(open, { ...settlement, destination: PAYER }, sent)).toBe("destination");
});

test("a limit with more digits than the currency has allows nothing", () => {
  const limits = new Map([[TOKEN, { transactionMax: "5.0000001", dayMax: "100" }]]);
  expect(heldBy({ ...policy, limits }, intent, sent)).toBe("transaction_limit");
});
