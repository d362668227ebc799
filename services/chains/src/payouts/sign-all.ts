// Signs a list, a few at a time: a server signs several at once, and a key in this process leaves time for its other
// work.
import { setImmediate } from "node:timers/promises";
import { RpcError } from "../providers/rpc-error.ts";
import type { Intent } from "./domain/intent.ts";
import { toCall } from "./preflight.ts";
import type { Signer } from "./signer.ts";
import type { Signing } from "./storage/signed-transactions.ts";

export type Unsigned<I extends Intent = Intent> = Omit<Signing<I>, "signature">;
export type Payable = Omit<Unsigned, "nonce">;

const PARALLEL = 8;

interface Signed<I extends Intent> {
  signings: Signing<I>[];
  /** Of a server that did not sign the next ones. */
  fault: RpcError | undefined;
}

/** Those before the first that was not signed. */
export async function signAll<I extends Intent>(
  signer: Signer,
  list: readonly Unsigned<I>[],
): Promise<Signed<I>> {
  async function sign(one: Unsigned<I>): Promise<Signing<I>> {
    const { intent, nonce, gasLimit, fees } = one;
    const { to, value, data } = toCall(intent);
    const asked = { chainId: signer.chainId, nonce, to, value, data, gasLimit, fees };
    return { ...one, signature: await signer.sign(asked) };
  }

  const signings: Signing<I>[] = [];
  try {
    for (let from = 0; from < list.length; from += PARALLEL) {
      signings.push(...(await Promise.all(list.slice(from, from + PARALLEL).map(sign))));
      await setImmediate();
    }
  } catch (error) {
    if (error instanceof RpcError) return { signings, fault: error };
    throw error;
  }
  return { signings, fault: undefined };
}
