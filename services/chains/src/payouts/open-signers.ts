// Opens the signers of the configuration. A wallet whose key cannot be used is put aside, so that the service goes on
// for all others; a contradiction in the configuration itself ends the start with one line that explains it.
import { ConfigError, type Log } from "@pay/process";
import type { Address, ChainId } from "@pay/values";
import { isUnprotected } from "../catalog/configured-chains.ts";
import { signersUnusable } from "../metrics.ts";
import type { SigningPolicy } from "./domain/signing-policy.ts";
import { openKeystore } from "./keystore.ts";
import { openRemoteSigner } from "./remote-signer.ts";
import { type KeyHolder, type Signer, SignerFault } from "./signer.ts";
import type { SignerEntry } from "./signer-config.ts";

const MINUTE_MS = 60_000;

export async function openSigners(
  entries: readonly SignerEntry[],
  options: { chainIds: ReadonlySet<ChainId>; timeoutMs: number; log: Log },
): Promise<Signer[]> {
  const faults = findFaults(entries, options.chainIds);
  if (faults.length > 0) throw new ConfigError(faults);
  const signers: Signer[] = [];
  signersUnusable.reset();
  for (const entry of entries) {
    const { chainId, address } = entry;
    try {
      const { inFlightMax } = entry;
      const holder = await openKeyHolder(entry, options.timeoutMs);
      const { sponsor } = entry;
      signers.push({ ...holder, chainId, address, policy: toPolicy(entry), sponsor, inFlightMax });
    } catch (error) {
      if (!(error instanceof SignerFault)) throw error;
      signersUnusable.inc({ chain: `${chainId}` });
      options.log.error({ chainId, address }, `a signer is put aside: ${error.message}`);
    }
  }
  return signers;
}

/** A wallet that only pays the gas of payers sends no money of its own. */
function toPolicy(entry: SignerEntry): SigningPolicy {
  const { maxFeeGwei: maxFeePerGas } = entry;
  if (!("projectId" in entry)) return { ...NOTHING, maxFeePerGas };
  const { projectId, mode, limits, refundsTo, settlementsTo } = entry;
  const sweepAfterMs = entry.sweepAfterMinutes * MINUTE_MS;
  return { projectId, mode, limits, refundsTo, settlementsTo, maxFeePerGas, sweepAfterMs };
}

const NOTHING = {
  projectId: "",
  mode: 0,
  limits: new Map(),
  refundsTo: "payer",
  settlementsTo: new Set<Address>(),
  sweepAfterMs: 0,
} as const;

function findFaults(entries: readonly SignerEntry[], chainIds: ReadonlySet<ChainId>): string[] {
  const seen = new Set<string>();
  const sponsored = new Set<ChainId>();
  return entries.flatMap((entry) => {
    const wallet = `${entry.address} on chain ${entry.chainId}`;
    const faults: string[] = [];
    if (seen.has(wallet)) faults.push("the wallet is named twice");
    if (entry.sponsor !== undefined && sponsored.has(entry.chainId)) {
      faults.push("the chain has another wallet that pays the gas of payers");
    }
    if (entry.sponsor !== undefined) sponsored.add(entry.chainId);
    if (!chainIds.has(entry.chainId)) faults.push("the chain has no provider");
    if ("url" in entry && isUnprotected(entry.url)) {
      faults.push("a signer beyond this machine is asked over https only");
    }
    seen.add(wallet);
    return faults.map((what) => `CHAINS_SIGNERS, ${wallet}: ${what}`);
  });
}

async function openKeyHolder(entry: SignerEntry, timeoutMs: number): Promise<KeyHolder> {
  const { address } = entry;
  if ("keystoreFile" in entry) return openKeystore(entry, address);
  return openRemoteSigner(entry, { address, timeoutMs });
}
