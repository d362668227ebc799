// The wallets whose transactions the service signs. A wallet belongs to one project in one mode: another tenant with
// the same address pays from its own wallet.
import type { Address, ChainId } from "@pay/values";

export interface PayingWallet {
  projectId: string;
  mode: number;
  chainId: ChainId;
  address: Address;
}

export type IsServiceSigned = (wallet: PayingWallet) => boolean;

export function createSignedWallets(wallets: readonly PayingWallet[]): IsServiceSigned {
  const keys = new Set(wallets.map(getKey));
  return (wallet) => keys.has(getKey(wallet));
}

function getKey({ projectId, mode, chainId, address }: PayingWallet): string {
  return [projectId, mode, chainId, address].join(" ");
}
