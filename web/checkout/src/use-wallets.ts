import { findWallets, type Wallet } from "@pay/sdk/browser";
import { useLayoutEffect, useState } from "preact/hooks";

/** The wallets of this browser. They announce themselves at once, so they are known before the first frame. */
export function useWallets(): readonly Wallet[] {
  const [wallets, setWallets] = useState<Wallet[]>([]);
  useLayoutEffect(() => findWallets(setWallets), []);
  return wallets;
}
