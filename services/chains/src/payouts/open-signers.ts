// Opens the signers of the configuration, or fails with one line that explains why. A process with a signer that does
// not work does not start.
import { ConfigError } from "@pay/process";
import type { ChainId } from "@pay/values";
import { isUnprotected } from "../catalog/configured-chains.ts";
import { openKeystore } from "./keystore.ts";
import { openRemoteSigner } from "./remote-signer.ts";
import { type KeyHolder, type Signer, SignerFault } from "./signer.ts";
import type { SignerEntry } from "./signer-config.ts";

export async function openSigners(
  entries: readonly SignerEntry[],
  { chainIds, timeoutMs }: { chainIds: ReadonlySet<ChainId>; timeoutMs: number },
): Promise<Signer[]> {
  const faults: string[] = [];
  const signers: Signer[] = [];
  const seen = new Set<string>();
  for (const entry of entries) {
    const { chainId, address } = entry;
    const wallet = `${address} on chain ${chainId}`;
    const fault = (what: string) => faults.push(`CHAINS_SIGNERS, ${wallet}: ${what}`);
    if (seen.has(wallet)) fault("the wallet is named twice");
    else if (!chainIds.has(chainId)) fault("the chain has no provider");
    seen.add(wallet);
    try {
      const { projectId, mode, limits, refundsTo, settlementsTo, maxFeeGwei, inFlightMax } = entry;
      const rules = { limits, refundsTo, settlementsTo, maxFeePerGas: maxFeeGwei };
      const policy = { projectId, mode, ...rules };
      const holder = await openKeyHolder(entry, timeoutMs);
      signers.push({ ...holder, chainId, address, policy, inFlightMax });
    } catch (error) {
      if (!(error instanceof SignerFault)) throw error;
      fault(error.message);
    }
  }
  if (faults.length === 0) return signers;
  for (const signer of signers) signer.close();
  throw new ConfigError(faults);
}

async function openKeyHolder(entry: SignerEntry, timeoutMs: number): Promise<KeyHolder> {
  const { address } = entry;
  if ("keystoreFile" in entry) return openKeystore(entry, address);
  if (isUnprotected(entry.url)) {
    throw new SignerFault("a signer beyond this machine is asked over https only");
  }
  return openRemoteSigner(entry, { address, timeoutMs });
}
