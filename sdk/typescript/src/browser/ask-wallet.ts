// What every use of a wallet begins with, and how it says no.
import type { Provider } from "./discover.ts";

/** By EIP-1193: the person has declined. */
const DECLINED = 4001;

/** The account that the person lets the page see; undefined for none. */
export async function getAccount(provider: Provider): Promise<string | undefined> {
  const [account] = (await provider.request({ method: "eth_requestAccounts" })) as string[];
  return account;
}

/** Whether the person has declined; every other fault is the wallet's. */
export function isDeclined(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === DECLINED;
}
