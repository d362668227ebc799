// A transfer or sweep is tried before it is signed: one that would fail takes no nonce and no gas.
import { sweepTransaction, toDepositSalt, transferTransaction } from "@pay/values";
import { NATIVE } from "../providers/domain/transfer.ts";
import type { Reader, TransactionCall } from "../providers/reader.ts";
import { RpcError } from "../providers/rpc-error.ts";
import type { Intent } from "./domain/intent.ts";

export type Preflight =
  | { kind: "passes"; gasLimit: bigint }
  /** Every provider says that the transfer would fail. */
  | { kind: "reverts" }
  | { kind: "no_funds" }
  /** Some provider did not answer, and none says that it passes. */
  | { kind: "unanswered" };

const FALSE = `0x${"0".repeat(64)}`;

export function toCall(intent: Intent): TransactionCall {
  const { source: from, destination: to, currency, baseAmount, callData } = intent;
  if (intent.kind === "sweep") return { from, ...toSweep(intent).call };
  if (callData !== undefined) return { from, to: currency, value: "0x0", data: callData };
  return { from, ...transferTransaction({ currency, to, baseAmount }) };
}

function toSweep({ destination: recipient, currency, sweptPaymentIds }: Intent) {
  const salts = sweptPaymentIds.map(toDepositSalt);
  const { gas, ...call } = sweepTransaction({ currency, recipient, salts });
  return { gas, call };
}

/** What comes of each; the next provider is asked for those that the one before it does not let pass. */
export async function tryTransfers(
  readers: readonly Reader[],
  intents: readonly Intent[],
): Promise<Map<Intent, Preflight>> {
  const found = new Map<Intent, Preflight>();
  const reverts = new Map<Intent, number>();
  for (const reader of readers) {
    const open = intents.filter((intent) => !found.has(intent));
    if (open.length === 0) break;
    const results = await tryAt(reader, open);
    for (const [at, intent] of open.entries()) {
      const one = results[at];
      if (one?.kind === "passes" || one?.kind === "no_funds") found.set(intent, one);
      if (one?.kind === "reverts") reverts.set(intent, (reverts.get(intent) ?? 0) + 1);
    }
  }
  for (const intent of intents.filter((one) => !found.has(one))) {
    const isSaidByAll = reverts.get(intent) === readers.length;
    found.set(intent, { kind: isSaidByAll ? "reverts" : "unanswered" });
  }
  return found;
}

async function tryAt(reader: Reader, intents: readonly Intent[]): Promise<Preflight[]> {
  const called = intents.filter(({ currency, kind }) => currency !== NATIVE || kind === "sweep");
  // An estimate for a sweep may be too low, which sweeps nothing.
  const estimated = intents.filter(({ kind }) => kind !== "sweep");
  const [answers, gas] = await Promise.all([
    reader.attempts(called.map(toCall)),
    reader.gasEstimates(estimated.map(toCall)),
  ]);
  const toAnswer = new Map(called.map((intent, at) => [intent, answers[at]]));
  const toGas = new Map(estimated.map((intent, at) => [intent, gas[at]]));
  return intents.map((intent): Preflight => {
    const tried = buildPreflight(toAnswer.get(intent), toGas.get(intent) ?? 0n);
    const isSweep = intent.kind === "sweep" && tried.kind === "passes";
    return isSweep ? { kind: "passes", gasLimit: toSweep(intent).gas } : tried;
  });
}

function buildPreflight(
  answer: string | RpcError | undefined,
  gas: bigint | RpcError | undefined,
): Preflight {
  for (const error of [answer, gas]) {
    if (!(error instanceof RpcError)) continue;
    if (error.fault === "reverted") return { kind: "reverts" };
    return { kind: error.fault === "no_funds" ? "no_funds" : "unanswered" };
  }
  // Some tokens say that they did not transfer instead of failing; others say nothing at all. A sweep says how many
  // addresses it has emptied.
  if (answer === FALSE) return { kind: "reverts" };
  if (typeof gas !== "bigint") return { kind: "unanswered" };
  return { kind: "passes", gasLimit: gas + gas / 5n };
}
