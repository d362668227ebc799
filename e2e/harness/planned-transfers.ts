// Transfers whose hash is known before they are mined: each has a sender that nothing else sends from, and waits behind
// a gap in the sender's nonces, so that a test decides when it is mined, apart from all others.
import { randomBytes } from "node:crypto";
import { callNode } from "@pay/embedded";
import { until } from "@pay/testing";

export interface PlannedTransfer {
  sender: string;
  txHash: string;
  /** Resolves when the transfer is in a block. */
  mine(): Promise<void>;
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}

const GAS = hex(100_000n);
/** More than any gas costs. */
const SPARE = 10n ** 18n;

export async function planTransfer(
  rpcUrl: string,
  { to, value, from }: { to: string; value: bigint; from?: string },
): Promise<PlannedTransfer> {
  const sender = from ?? `0x${randomBytes(20).toString("hex")}`;
  await callNode(rpcUrl, "anvil_impersonateAccount", [sender]);
  await callNode(rpcUrl, "anvil_setBalance", [sender, hex(value + SPARE)]);
  const sent = BigInt(
    (await callNode(rpcUrl, "eth_getTransactionCount", [sender, "latest"])) as string,
  );
  const common = { from: sender, gas: GAS };
  const transaction = { ...common, to, value: hex(value), nonce: hex(sent + 1n) };
  const txHash = (await callNode(rpcUrl, "eth_sendTransaction", [transaction])) as string;
  return {
    sender,
    txHash,
    mine: async () => {
      const first = { ...common, to: sender, value: "0x0", nonce: hex(sent) };
      await callNode(rpcUrl, "eth_sendTransaction", [first]);
      function receipt() {
        return callNode(rpcUrl, "eth_getTransactionReceipt", [txHash]);
      }

      await until(receipt, { what: "the mined transfer" });
    },
  };
}
