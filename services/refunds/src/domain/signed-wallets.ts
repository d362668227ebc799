// The wallets whose money the service sends itself, because the chains service holds their keys. A wallet belongs to one project
// in one mode: another tenant that names the same address pays from its own wallet.
import type { Address, ChainId } from "@pay/values";

export interface PayingWallet {
  projectId: string;
  mode: number;
  chainId: ChainId;
  address: Address;
}

export type IsServiceSigned = (wallet: PayingWallet) => boolean;

export function signedWallets(wallets: readonly PayingWallet[]): IsServiceSigned {
  const keys = new Set(wallets.map(getKey));
  return (wallet) => keys.has(getKey(wallet));
}

function getKey({ projectId, mode, chainId, address }: PayingWallet): string {
  return [projectId, mode, chainId, address].join(" ");
}
