import { beforeEach, expect, test } from "@jest/globals";
import { createProviderHealth, type ProviderHealth } from "./provider-health.ts";
import { RpcError, type RpcFault } from "./rpc-error.ts";

const LOGS = { method: "eth_getLogs", params: [{ fromBlock: "0x1", toBlock: "0x64" }] };

let now: number;
let health: ProviderHealth;
beforeEach(() => {
  now = 1_000_000;
  health = createProviderHealth(() => now, { isAlone: false });
});

/** Milliseconds of its rest after a question that was asked so long ago. */
function restAfter(
  fault: RpcFault,
  { agoMs = 0, pauseMs }: { agoMs?: number; pauseMs?: number } = {},
) {
  health.failed(new RpcError(fault, "provider 1", undefined, { pauseMs }), [LOGS], now - agoMs);
  return Math.max(health.restsUntil() - now, 0);
}

test("a rest begins short and doubles with each fault, up to 5 s", () => {
  const rests = Array.from({ length: 9 }, () => {
    const restMs = restAfter("network");
    now += restMs;
    return restMs;
  });
  expect(rests).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
});

test("an answer ends the rest, and the next one begins short again", () => {
  restAfter("network");
  restAfter("http");
  expect(health.isSuspect()).toBe(true);
  health.answered("eth_chainId", now - 10);
  expect([health.isSuspect(), health.restsUntil()]).toEqual([false, 0]);
  expect(restAfter("network")).toBe(50);
});

test("requests that were under way together fail once", () => {
  now += 10;
  const rests = Array.from({ length: 16 }, () => restAfter("network", { agoMs: 10 }));
  expect(new Set(rests)).toEqual(new Set([50]));
  expect(health.faults()).toBe(1);
});

test("one that does not answer at all rests for the longest time at once, whatever it answered before", () => {
  expect(restAfter("timeout", { agoMs: 8_000 })).toBe(5_000);
  health.answered(LOGS.method, now - 1);
  expect(health.restsUntil() - now).toBe(5_000);
  health.answered(LOGS.method, now);
  expect(health.restsUntil()).toBe(0);
  // There is no other to ask instead.
  health = createProviderHealth(() => now, { isAlone: true });
  expect(restAfter("timeout")).toBe(50);
});

test("one that asks for patience gets it, for as long as it says within a minute, and no answer ends that", () => {
  expect(restAfter("busy")).toBe(1_000);
  health.answered(LOGS.method, now);
  expect(health.restsUntil() - now).toBe(1_000);
  now += 1_000;
  expect(restAfter("busy", { pauseMs: 7_000 })).toBe(7_000);
  expect(restAfter("busy", { pauseMs: 3_600_000 })).toBe(60_000);
});

test("a provider that timed out on logs stays suspect until it returns the same logs", () => {
  restAfter("timeout");
  now += 5_000;
  expect(health.pendingProbes()).toEqual([[LOGS]]);
  health.answered("eth_chainId", now);
  expect([health.isRecovered(), health.isSuspect()]).toEqual([true, true]);
  health.answered("eth_getLogs", now);
  expect([health.pendingProbes(), health.isSuspect()]).toEqual([[], false]);
});

test("a probe that times out repeatedly gives way to an easy one, and lasts twice as long the next time", () => {
  function timesAsked() {
    restAfter("timeout");
    let times = 0;
    while (health.pendingProbes()[0]?.[0] === LOGS) {
      now += 5_000;
      times++;
      restAfter("timeout");
    }
    now += 5_000;
    expect(health.pendingProbes()).toEqual([
      [{ method: "eth_getLogs", params: [{ fromBlock: "0x1", toBlock: "0x1" }] }],
    ]);
    health.answered("eth_getLogs", now);
    expect([health.pendingProbes(), health.isSuspect()]).toEqual([[], false]);
    return times;
  }

  expect(Array.from({ length: 6 }, timesAsked)).toEqual([4, 8, 16, 32, 64, 64]);
  // Asked for by a caller.
  health.answered("eth_getLogs", now);
  expect(timesAsked()).toBe(4);
});
