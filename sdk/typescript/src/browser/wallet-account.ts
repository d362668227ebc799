// The account of a wallet, and the rejection by its owner.
import type { Provider } from "./find-wallets.ts";

/** EIP-1193: the user rejected the request. */
const DECLINED = 4001;

/** The account that the user shares with the page; undefined for none. */
export async function getAccount(provider: Provider): Promise<string | undefined> {
  const [account] = (await provider.request({ method: "eth_requestAccounts" })) as string[];
  return account;
}

/** Whether the user rejected the request; every other error is a fault of the wallet. */
export function isDeclined(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === DECLINED;
}
