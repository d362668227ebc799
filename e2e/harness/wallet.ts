import { callNode, sendFrom, transferData } from "@pay/embedded";
import type { Credentials } from "@pay/standalone";

export interface Wallet {
  address: string;
  payNative(to: string, base: bigint): Promise<string>;
  payToken(to: string, base: bigint): Promise<string>;
}

/** The test wallet of the local chain: account 0 holds native coin and the test token. */
export async function openWallet(
  { chainRpcUrl, tokenAddress }: Credentials,
  account = 0,
): Promise<Wallet> {
  const accounts = (await callNode(chainRpcUrl, "eth_accounts")) as string[];
  const from = accounts[account] as string;
  return {
    address: from.toLowerCase(),
    payNative: (to, base) => sendFrom(chainRpcUrl, { from, to, value: `0x${base.toString(16)}` }),
    payToken: (to, base) =>
      sendFrom(chainRpcUrl, { from, to: tokenAddress, data: transferData(to, base) }),
  };
}
