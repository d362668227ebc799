// The wallets of this browser as rows, and the outcome of the chosen one.
import type { Wallet } from "@pay/sdk/browser";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type OnHandOff, useHandOff } from "../hand-off.ts";
import { useSay, type Word } from "../words.ts";
import { HandOffLink } from "./hand-off-link.tsx";
import { Icon } from "./icon.tsx";
import { Spinner } from "./notice.tsx";
import { QrCode } from "./qr-code.tsx";
import { isPhone, WalletApps } from "./wallet-apps.tsx";

interface Props {
  title: Word;
  /** Of paying with any of them. */
  note?: Word | undefined;
  wallets: readonly Wallet[];
  /** What the wallet is asked for just now. */
  underWay: Word | undefined;
  /** What came of it. */
  ended: ComponentChildren;
  /** The one button of the screen, where there is one wallet. */
  primary?: ((wallet: string) => string) | undefined;
  onChoose: (wallet: Wallet) => void;
  onHandOff: OnHandOff;
}

export function WalletList(props: Props) {
  const { title, note, wallets, underWay, ended, primary, onChoose, onHandOff } = props;
  const say = useSay();
  const [onPhone] = useState(isPhone);
  const [only] = wallets;
  const isOne = primary !== undefined && wallets.length === 1;
  return (
    <section class="part" aria-labelledby="with-wallet">
      <h2 id="with-wallet">{say(wallets.length === 0 && !onPhone ? "openPhone" : title)}</h2>
      {note && wallets.length > 0 && <p class="hint">{say(note)}</p>}
      <div role="status">
        {underWay ? (
          <p class="step">
            <Spinner /> {say(underWay)}
          </p>
        ) : (
          ended
        )}
      </div>
      {wallets.length === 0 &&
        (onPhone ? <WalletApps onHandOff={onHandOff} /> : <OnPhone onHandOff={onHandOff} />)}
      {isOne && only !== undefined && (
        <button
          type="button"
          class="button primary large"
          disabled={underWay !== undefined}
          onClick={() => onChoose(only)}
        >
          {primary(only.name || say("browserWallet"))}
        </button>
      )}
      {wallets.length > 0 && !isOne && (
        <ul class="wallets">
          {wallets.map((wallet) => (
            <li key={wallet.uuid}>
              <Row wallet={wallet} isBusy={underWay !== undefined} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Row(given: { wallet: Wallet; isBusy: boolean; onChoose: (wallet: Wallet) => void }) {
  const { wallet, isBusy, onChoose } = given;
  const say = useSay();
  const name = wallet.name || say("browserWallet");
  return (
    <button type="button" class="wallet" disabled={isBusy} onClick={() => onChoose(wallet)}>
      {wallet.icon === undefined ? (
        <span class="tile" aria-hidden="true">
          {name.slice(0, 1).toUpperCase()}
        </span>
      ) : (
        <img src={wallet.icon} alt="" width={32} height={32} />
      )}
      <span>
        <bdi>{name}</bdi>
        <small>{say("inBrowser")}</small>
      </span>
      <Icon name="next" />
    </button>
  );
}

/** In a browser without a wallet the payment goes on where the wallet is: on the phone. */
function OnPhone({ onHandOff }: { onHandOff: OnHandOff }) {
  const say = useSay();
  return (
    <HandOffLink handOff={useHandOff(onHandOff)} hint="noWallet" button="openPhone">
      {(link) => (
        <>
          <QrCode text={link} label={say("phoneCodeAlt")} />
          <p class="hint" role="status">
            {say("phoneCode")}
          </p>
        </>
      )}
    </HandOffLink>
  );
}
