import { expect, test } from "@jest/globals";
import { toChainId } from "@pay/values";
import { findWallet, getWallets, planWallets } from "./default-wallets.ts";

const ETHEREUM = toChainId(1);
const POLYGON = toChainId(137);
const HOUR_MS = 3_600_000;
const FIRST = { chainId: ETHEREUM, address: "0x52908400098527886E0F7030069857D2E4169EE7" };
const OTHER = { chainId: ETHEREUM, address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" };
const SECOND = { ...OTHER, chainId: POLYGON };

function at(hours: number) {
  return { now: new Date(hours * HOUR_MS), delayMs: 24 * HOUR_MS };
}

test("a change waits, and the wallets before it stay in force meanwhile", () => {
  const stored = planWallets({ current: [FIRST], pending: null }, [SECOND, OTHER], at(0));
  const usableAt = new Date(24 * HOUR_MS).toISOString();
  expect(stored).toEqual({ current: [FIRST], pending: { wallets: [OTHER, SECOND], usableAt } });
  expect(findWallet(stored, ETHEREUM, new Date(24 * HOUR_MS - 1))).toBe(FIRST.address);
  expect(findWallet(stored, POLYGON, new Date(24 * HOUR_MS - 1))).toBeUndefined();
  expect(findWallet(stored, ETHEREUM, new Date(24 * HOUR_MS))).toBe(OTHER.address);
  expect(getWallets(stored, new Date(24 * HOUR_MS)).pending).toBeNull();
});

test("another change begins its own time, and the same one keeps the first", () => {
  const first = planWallets(null, [FIRST], at(0));
  expect(planWallets(first, [FIRST], at(20))).toBe(first);
  const usableAt = new Date(44 * HOUR_MS).toISOString();
  expect(planWallets(first, [OTHER], at(20))?.pending).toEqual({ wallets: [OTHER], usableAt });
  // The first one is in force by then.
  expect(planWallets(first, [], at(30))?.current).toEqual([FIRST]);
});

test("the wallets in force take back a change that waits", () => {
  const stored = planWallets({ current: [FIRST], pending: null }, [OTHER], at(0));
  expect(planWallets(stored, [FIRST], at(1))).toEqual({ current: [FIRST], pending: null });
  expect(planWallets(planWallets(null, [OTHER], at(0)), [], at(1))).toBeNull();
});

test("without a delay a change is in force at once", () => {
  const stored = planWallets(null, [FIRST], { now: new Date(0), delayMs: 0 });
  expect(stored).toEqual({ current: [FIRST], pending: null });
  expect(findWallet(stored, ETHEREUM, new Date(0))).toBe(FIRST.address);
});
