// The wallets of this browser, by EIP-6963. Extensions announce themselves freely, so a wallet is shown only with a
// short plain name, a small picture as icon, and an identity that no other wallet uses.

export interface Provider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

export interface Wallet {
  uuid: string;
  name: string;
  /** A data address of a picture, shown in an image only. */
  icon: string | undefined;
  provider: Provider;
}

const WALLETS_MAX = 20;
const NAME_MAX = 40;
const ICON_MAX = 64 * 1024;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const ICON = /^data:image\/(?:svg\+xml|png|webp|gif|jpeg)[;,]/;
/** Control characters, and those that change the direction of what follows. */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The announced wallet; undefined where the announcement is invalid. */
export function parseWallet(detail: unknown): Wallet | undefined {
  const { info, provider } = (detail ?? {}) as { info?: Partial<Wallet>; provider?: Provider };
  const { uuid, name, icon } = info ?? {};
  if (typeof provider?.request !== "function") return undefined;
  if (typeof uuid !== "string" || !UUID.test(uuid)) return undefined;
  if (typeof name !== "string" || name.trim() === "" || name.length > NAME_MAX) return undefined;
  if (DECEPTIVE.test(name)) return undefined;
  const shown = typeof icon === "string" && icon.length <= ICON_MAX && ICON.test(icon);
  return { uuid, name, icon: shown ? icon : undefined, provider };
}

/** Two providers with one identity are both dropped; the same provider may announce itself again. */
export function addWallet(
  known: ReadonlyMap<string, Wallet | null>,
  wallet: Wallet,
): Map<string, Wallet | null> {
  const next = new Map(known);
  const before = next.get(wallet.uuid);
  if (before === undefined && next.size < WALLETS_MAX) next.set(wallet.uuid, wallet);
  else if (before && before.provider !== wallet.provider) next.set(wallet.uuid, null);
  return next;
}

const LEGACY_UUID = "00000000-0000-4000-8000-000000000000";

/** Reports the wallets of this browser, at once and with each announcement; returns a function that ends it. */
export function findWallets(onWallets: (wallets: Wallet[]) => void): () => void {
  let known = new Map<string, Wallet | null>();

  function report(): void {
    const found = [...known.values()].filter((wallet) => wallet !== null);
    const { ethereum } = window as { ethereum?: Provider };
    const isAlone = found.length === 0 && typeof ethereum?.request === "function";
    onWallets(
      isAlone
        ? [{ uuid: LEGACY_UUID, name: "", icon: undefined, provider: ethereum as Provider }]
        : found,
    );
  }

  function onAnnounce(event: Event): void {
    const wallet = parseWallet((event as CustomEvent).detail);
    if (wallet === undefined) return;
    known = addWallet(known, wallet);
    report();
  }

  window.addEventListener("eip6963:announceProvider", onAnnounce);
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  report();
  return () => window.removeEventListener("eip6963:announceProvider", onAnnounce);
}
