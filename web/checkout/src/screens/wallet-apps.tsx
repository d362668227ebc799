// On a phone wallets are apps, each with a browser of its own: the payment goes on in there.
import { useEffect, useRef } from "preact/hooks";
import { type OnHandOff, useHandOff } from "../hand-off.ts";
import { HandOffLink } from "./hand-off-link.tsx";
import { Icon } from "./icon.tsx";

/** What each app opens in its own browser. They are links, because phones open an app on a tap alone. */
const APPS: Readonly<Record<string, (page: string) => string>> = {
  MetaMask: (page) => `https://metamask.app.link/dapp/${page.replace(/^https?:\/\//, "")}`,
  "Coinbase Wallet": (page) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page)}`,
  "Trust Wallet": (page) =>
    `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page)}`,
  Rainbow: (page) => `https://rnbwapp.com/dapp?url=${encodeURIComponent(page)}`,
};

export function isPhone(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}

export function WalletApps({ onHandOff }: { onHandOff: OnHandOff }) {
  const handOff = useHandOff(onHandOff);
  const { link, forget } = handOff;
  const first = useRef<HTMLAnchorElement>(null);
  const isFollowed = useRef(false);

  useEffect(() => {
    if (link === undefined) return;
    isFollowed.current = false;
    first.current?.focus();
    // Who comes back from an app has used it.
    function look(): void {
      if (isFollowed.current && document.visibilityState === "visible") forget();
    }

    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [link]);

  return (
    <HandOffLink handOff={handOff} hint="phoneHint" button="openApp">
      {(page) => (
        <ul class="wallets">
          {Object.entries(APPS).map(([name, buildAddress], at) => (
            <li key={name}>
              <a
                class="wallet"
                href={buildAddress(page)}
                rel="noreferrer"
                onClick={() => {
                  isFollowed.current = true;
                }}
                {...(at === 0 && { ref: first })}
              >
                {name}
                <Icon name="next" />
              </a>
            </li>
          ))}
        </ul>
      )}
    </HandOffLink>
  );
}
