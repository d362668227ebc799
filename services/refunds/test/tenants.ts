// Names that the tests of refunds share: wallets, projects and hashes.
import { Mode } from "@pay/proto";

export const CHAIN_ID = 31_337n;
export const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const SHOPPER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
export const TREASURY = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65";
/** How long an address of the address book waits. */
export const DELAY_HOURS = 24;
export const EXCHANGE = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";

export interface Tenant {
  projectId: string;
  mode: Mode;
}

let projects = 0;
/** A project without records, so that tests of one file do not see each other. */
export function aTenant(mode: Mode = Mode.LIVE): Tenant {
  return {
    projectId: `proj_${String(++projects).padStart(24, "0")}`,
    mode,
  };
}

let hashes = 0;
export function aHash(): string {
  return `0x${(++hashes).toString(16).padStart(64, "0")}`;
}
