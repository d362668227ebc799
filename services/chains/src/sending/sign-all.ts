// Signs a list with nonces in a row. A few at a time: a server answers several at once, and a key in this process leaves the other
// work of the process its turn in between.
import { setImmediate } from "node:timers/promises";
import { RpcError } from "../providers/endpoint.ts";
import type { Signer } from "../signing/signer.ts";
import type { Signing } from "../storage/intent-moves.ts";
import { callOf } from "./preflight.ts";

export type Payable = Pick<Signing, "intent" | "gasLimit" | "fees">;

const PARALLEL = 8;

/** All of them, or the error of a server that did not sign one. */
export async function signAll(
  signer: Signer,
  payable: readonly Payable[],
  firstNonce: number,
): Promise<Signing[] | RpcError> {
  async function sign({ intent, gasLimit, fees }: Payable, nonce: number): Promise<Signing> {
    const { to, value, data } = callOf(intent);
    const asked = { chainId: signer.chainId, nonce, to, value, data, gasLimit, fees };
    return { intent, gasLimit, fees, nonce, signature: await signer.sign(asked) };
  }

  const signed: Signing[] = [];
  try {
    for (let from = 0; from < payable.length; from += PARALLEL) {
      const some = payable.slice(from, from + PARALLEL);
      signed.push(...(await Promise.all(some.map((one, at) => sign(one, firstNonce + from + at)))));
      await setImmediate();
    }
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
  return signed;
}
