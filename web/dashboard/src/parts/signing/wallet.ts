// The wallets of this browser, what they are set to, and one transaction by one of them.
import {
  findWallets,
  getAccount,
  isDeclined,
  isOnNetwork,
  type Provider,
  readPendingHash,
  removePendingHash,
  sendTransaction,
  storePendingHash,
  useNetwork as switchNetwork,
  type Wallet,
} from "@pay/sdk/browser";
import { useEffect, useState } from "react";
import type { Chain } from "../../api/records.ts";
import { COIN_DECIMALS, type Unsigned } from "./read-transaction.ts";

export function useWallets(): Wallet[] {
  const [wallets, setWallets] = useState<Wallet[]>([]);
  useEffect(() => findWallets(setWallets), []);
  return wallets;
}

/** What a wallet is set to, without a question to its owner. */
export type Setting = "ready" | "unconnected" | "other-account" | "other-network" | "unknown";

async function readSetting(provider: Provider, { from, chainId }: Unsigned): Promise<Setting> {
  const accounts = (await provider.request({ method: "eth_accounts" })) as string[];
  if (accounts.length === 0) return "unconnected";
  if (!hasAccount(accounts, from)) return "other-account";
  return (await isOnNetwork(provider, chainId)) ? "ready" : "other-network";
}

function hasAccount(accounts: readonly string[], wanted: string): boolean {
  return accounts.some((account) => account.toLowerCase() === wanted.toLowerCase());
}

const LOOK_MS = 1_000;

/** Wallets report changes in several ways and some not at all, so it is read again each second. */
export function useSetting(wallet: Wallet | undefined, transaction: Unsigned): Setting | undefined {
  const [setting, setSetting] = useState<Setting>();
  const { from, chainId } = transaction;
  useEffect(() => {
    if (wallet === undefined) return undefined;
    let isOver = false;
    const wanted = { from, chainId } as Unsigned;
    function look() {
      readSetting((wallet as Wallet).provider, wanted).then(
        (found) => isOver || setSetting(found),
        () => isOver || setSetting("unknown"),
      );
    }

    look();
    const timer = setInterval(look, LOOK_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [wallet, from, chainId]);
  return setting;
}

/** The hash, or why there is none. */
export type Sent =
  | { hash: string }
  | { failure: "declined" | "other-account" | "other-network" | "unknown" };

/** The hash is kept in the browser before anything is done with it. */
export async function signTransaction(
  { provider }: Wallet,
  { id, chain, transaction }: { id: string; chain: Chain; transaction: Unsigned },
): Promise<Sent> {
  try {
    const account = await getAccount(provider);
    const accounts = (await provider.request({ method: "eth_accounts" })) as string[];
    if (!hasAccount([account ?? "", ...accounts], transaction.from)) {
      return { failure: "other-account" };
    }
    const network = {
      chainId: chain.chainId,
      chainName: chain.name,
      chainSymbol: chain.symbol,
      chainDecimals: COIN_DECIMALS,
      chainRpcUrl: chain.rpcUrl,
    };
    if (!(await switchNetwork(provider, network))) return { failure: "other-network" };
    const hash = await sendTransaction(provider, transaction);
    if (hash === undefined) return { failure: "unknown" };
    storePendingHash(id, { hash, payer: transaction.from });
    return { hash };
  } catch (error) {
    return { failure: isDeclined(error) ? "declined" : "unknown" };
  }
}

/** A hash of this record that the service may not have yet. */
export function readKeptHash(id: string): string | undefined {
  return readPendingHash(id)?.hash;
}

export const dropKeptHash = removePendingHash;
