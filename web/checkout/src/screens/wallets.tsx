import {
  findWallets,
  payWith,
  type Sent,
  type Server,
  type Status,
  type Step,
  type Wallet,
} from "@pay/sdk/browser";
import { useLayoutEffect, useState } from "preact/hooks";
import { toDecimal } from "../amount.ts";
import { useSay } from "../speech.ts";
import { shownAmount, shownDue } from "../view.ts";
import type { Word } from "../words.ts";
import { Failure } from "./failure.tsx";
import { Spinner } from "./notice.tsx";
import { isPhone, type OnHandOff, WalletApps } from "./wallet-apps.tsx";

const UNDER_WAY: Partial<Record<Step["kind"], Word>> = {
  connecting: "connecting",
  switching: "switching",
  waiting: "waiting",
};

interface Props {
  status: Status;
  server: Server;
  onPaid: (sent: Sent) => void;
  onHandOff: OnHandOff;
}

export function Wallets({ status, server, onPaid, onHandOff }: Props) {
  const say = useSay();
  const [wallets, setWallets] = useState<Wallet[]>([]);
  const [step, setStep] = useState<Step>();
  const [onPhone] = useState(isPhone);
  // Before the first frame: wallets answer at once, and what stands below must not move when they do.
  useLayoutEffect(() => findWallets(setWallets), []);

  async function pay({ provider }: Wallet): Promise<void> {
    const end = await payWith(provider, { status, server, onStep: setStep });
    if ("hash" in end) onPaid(end);
    else setStep(end);
  }

  const underWay = step && UNDER_WAY[step.kind];
  return (
    <section class="card" aria-labelledby="with-wallet">
      <h2 id="with-wallet">{say("withWallet")}</h2>
      <div role="status">
        {underWay && (
          <p class="step">
            <Spinner /> {say(underWay)}
          </p>
        )}
        {step && !underWay && <Ended step={step} status={status} />}
      </div>
      {wallets.length === 0 &&
        (onPhone ? <WalletApps onHandOff={onHandOff} /> : <p>{say("noWallet")}</p>)}
      {wallets.length > 0 && (
        <ul class="wallets">
          {wallets.map((wallet) => (
            <li key={wallet.uuid}>
              <button
                type="button"
                class="wallet"
                disabled={underWay !== undefined}
                onClick={() => void pay(wallet)}
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

function Ended({ step, status }: { step: Step; status: Status }) {
  const say = useSay();
  if (step.kind === "rejected") return <p class="problem">{say("rejected")}</p>;
  if (step.kind === "wrong-network") {
    return <p class="problem">{say("wrongNetwork", { network: status.chainName })}</p>;
  }
  if (step.kind === "refused") return <Failure status={status} code={step.code} />;
  if (step.kind === "insufficient") return <p class="problem">{insufficient(step)}</p>;
  return <p class="problem">{say("walletUnknown")}</p>;

  function insufficient({ balance, ofCoin }: { balance: bigint; ofCoin: boolean }): string {
    if (ofCoin && status.currency !== "native") {
      return say("insufficientFee", { coin: status.chainSymbol });
    }
    const held = toDecimal(balance, status.decimals);
    const shown = shownAmount({ amount: held, symbol: status.symbol });
    return say("insufficient", { balance: shown, amount: shownDue(status) });
  }
}
