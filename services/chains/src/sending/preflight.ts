// A transfer is tried before it is signed: one that would fail takes no nonce and no gas.
import { transferTransaction } from "@pay/values";
import type { Intent } from "../domain/intent.ts";
import { NATIVE } from "../domain/transfer.ts";
import { RpcError } from "../providers/endpoint.ts";
import type { Reader, TransactionCall } from "../providers/reader.ts";

export type Preflight =
  | { kind: "passes"; gasLimit: bigint }
  /** Every provider says that the transfer would fail. */
  | { kind: "reverts" }
  | { kind: "no_funds" }
  /** Some provider did not answer, and none says that it passes. */
  | { kind: "unanswered" };

const FALSE = `0x${"0".repeat(64)}`;

export function callOf(intent: Intent): TransactionCall {
  const { source: from, destination: to, currency, baseAmount } = intent;
  return { from, ...transferTransaction({ currency, to, baseAmount }) };
}

export async function tryTransfer(readers: readonly Reader[], intent: Intent): Promise<Preflight> {
  const call = callOf(intent);
  let reverts = 0;
  for (const reader of readers) {
    const said = await tryAt(reader, call, intent.currency !== NATIVE);
    if (said.kind === "passes" || said.kind === "no_funds") return said;
    if (said.kind === "reverts") reverts++;
  }
  return reverts > 0 && reverts === readers.length ? { kind: "reverts" } : { kind: "unanswered" };
}

async function tryAt(reader: Reader, call: TransactionCall, isToken: boolean): Promise<Preflight> {
  try {
    const [answer, gas] = await Promise.all([
      isToken ? reader.attempt(call) : "0x",
      reader.estimateGas(call),
    ]);
    // Some tokens say that they did not transfer instead of failing; others say nothing at all.
    if (answer === FALSE) return { kind: "reverts" };
    return { kind: "passes", gasLimit: gas + gas / 5n };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (error.fault === "reverted") return { kind: "reverts" };
    return { kind: error.fault === "no_funds" ? "no_funds" : "unanswered" };
  }
}
