// On a phone wallets are apps, each with a browser of its own: the payment goes on in there.
import { useEffect, useRef, useState } from "preact/hooks";
import { useSay } from "../speech.ts";

/** A little less than the link works: a tap on one that has just ended would lead to a refusal. */
const SHOWN_MS = 110_000;

/** What each app opens in its own browser. They are links, because phones open an app on a tap alone. */
const APPS: Readonly<Record<string, (page: string) => string>> = {
  MetaMask: (page) => `https://metamask.app.link/dapp/${page.replace(/^https?:\/\//, "")}`,
  "Coinbase Wallet": (page) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page)}`,
  "Trust Wallet": (page) =>
    `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page)}`,
  Rainbow: (page) => `https://rnbwapp.com/dapp?url=${encodeURIComponent(page)}`,
};

/** Makes a link that opens this payment once in another browser. */
export type OnHandOff = () => Promise<string | undefined>;

export function isPhone(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}

export function WalletApps({ onHandOff }: { onHandOff: OnHandOff }) {
  const say = useSay();
  const [link, setLink] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const first = useRef<HTMLAnchorElement>(null);
  const isFollowed = useRef(false);

  async function choose(): Promise<void> {
    setBusy(true);
    const made = await onHandOff();
    setBusy(false);
    setFailed(made === undefined);
    setLink(made && new URL(made, location.href).href);
  }

  useEffect(() => {
    if (link === undefined) return;
    isFollowed.current = false;
    first.current?.focus();
    function forget(): void {
      setLink(undefined);
    }

    // Who comes back from an app has used it.
    function look(): void {
      if (isFollowed.current && document.visibilityState === "visible") forget();
    }

    const timer = setTimeout(forget, SHOWN_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [link]);

  return (
    <>
      <p>{say("phoneHint")}</p>
      <p class="problem" role="status">
        {hasFailed && say("appFailed")}
      </p>
      {link === undefined ? (
        <button type="button" class="wallet" disabled={isBusy} onClick={() => void choose()}>
          {say("openApp")}
        </button>
      ) : (
        <ul class="wallets">
          {Object.entries(APPS).map(([name, addressOf], at) => (
            <li key={name}>
              <a
                class="wallet"
                href={addressOf(link)}
                rel="noreferrer"
                onClick={() => {
                  isFollowed.current = true;
                }}
                {...(at === 0 && { ref: first })}
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
