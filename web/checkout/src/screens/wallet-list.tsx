// The wallets of this browser as buttons, and what becomes of the one that was chosen.
import { findWallets, type Wallet } from "@pay/sdk/browser";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { OnHandOff } from "../hand-off.ts";
import { useSay } from "../speech.ts";
import type { Word } from "../words.ts";
import { Spinner } from "./notice.tsx";
import { isPhone, WalletApps } from "./wallet-apps.tsx";

interface Props {
  title: Word;
  /** What the wallet is asked for just now. */
  underWay: Word | undefined;
  /** What came of it. */
  ended: ComponentChildren;
  onChoose: (wallet: Wallet) => void;
  onHandOff: OnHandOff;
  /** What is there instead in a browser without wallets that is not on a phone. */
  withoutWallet: ComponentChildren;
}

export function WalletList({ title, underWay, ended, onChoose, onHandOff, withoutWallet }: Props) {
  const say = useSay();
  const [wallets, setWallets] = useState<Wallet[]>([]);
  const [onPhone] = useState(isPhone);
  // Before the first frame: wallets answer at once, and what stands below must not move when they do.
  useLayoutEffect(() => findWallets(setWallets), []);

  return (
    <section class="card" aria-labelledby="with-wallet">
      <h2 id="with-wallet">{say(title)}</h2>
      <div role="status">
        {underWay ? (
          <p class="step">
            <Spinner /> {say(underWay)}
          </p>
        ) : (
          ended
        )}
      </div>
      {wallets.length === 0 && (onPhone ? <WalletApps onHandOff={onHandOff} /> : withoutWallet)}
      {wallets.length > 0 && (
        <ul class="wallets">
          {wallets.map((wallet) => (
            <li key={wallet.uuid}>
              <button
                type="button"
                class="wallet"
                disabled={underWay !== undefined}
                onClick={() => onChoose(wallet)}
              >
                {wallet.icon !== undefined && (
                  <img src={wallet.icon} alt="" width={28} height={28} />
                )}
                <bdi>{wallet.name || say("browserWallet")}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
