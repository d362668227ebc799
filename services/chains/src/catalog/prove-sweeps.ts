// Whether deposit addresses work on a chain: a provider simulates that one is swept, and in a later block again. The
// factory may not be there, and a chain may have other rules for contracts that end.
import { DEPOSIT_FACTORY, sweepTransaction, toDepositAddress, toDepositSalt } from "@pay/values";
import type { Providers } from "../providers/providers.ts";
import type { SimulatedBlock } from "../providers/reader.ts";
import { tryRequest } from "../providers/rpc-error.ts";

/** Names no payment: its address exists in the simulation only. */
const PROBE = "probe";
const ONE_DONE = `0x${"1".padStart(64, "0")}`;

function buildSweep(): SimulatedBlock {
  const recipient = DEPOSIT_FACTORY;
  const salts = [toDepositSalt(PROBE)];
  const { to, data, gas } = sweepTransaction({ currency: "native", recipient, salts });
  return {
    balances: { [toDepositAddress({ paymentId: PROBE, recipient })]: 1n },
    calls: [{ from: recipient, to, data, gas }],
  };
}

/** False too where no provider can tell. */
export async function canSweep(providers: Providers | undefined): Promise<boolean> {
  const sweep = buildSweep();
  for (const reader of (await providers?.readers()) ?? []) {
    const blocks = await tryRequest(reader.simulate([sweep, sweep]));
    if (blocks === undefined) continue;
    return blocks.length === 2 && blocks.flat().every((answer) => answer === ONE_DONE);
  }
  return false;
}
