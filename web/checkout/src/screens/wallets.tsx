import {
  findWallets,
  type PendingHash,
  requestTransfer,
  type Server,
  type Status,
  type Step,
  type Wallet,
} from "@pay/sdk/browser";
import { useLayoutEffect, useState } from "preact/hooks";
import { toDecimal } from "../amount.ts";
import type { OnHandOff } from "../hand-off.ts";
import { shownAmount, shownDue } from "../view.ts";
import { useSay, type Word } from "../words.ts";
import { Failure } from "./failure.tsx";
import { WalletList } from "./wallet-list.tsx";

const UNDER_WAY: Partial<Record<Step["kind"], Word>> = {
  connecting: "connecting",
  switching: "switching",
  waiting: "waiting",
};

interface Props {
  status: Status;
  server: Server;
  wallets: readonly Wallet[];
  /** The rest of a part payment is one button where there is one wallet. */
  isRest?: boolean;
  onPaid: (sent: PendingHash) => void;
  onHandOff: OnHandOff;
}

export function Wallets({ status, server, wallets, isRest = false, onPaid, onHandOff }: Props) {
  const say = useSay();
  const [step, setStep] = useState<Step>();
  const [chosen, setChosen] = useState<Wallet>();

  async function pay(wallet: Wallet, omitReference = false): Promise<void> {
    setChosen(wallet);
    const terms = { status, server, onStep: setStep, omitReference };
    const end = await requestTransfer(wallet.provider, terms);
    if ("hash" in end) onPaid(end);
    else setStep(end);
  }

  if (status.transaction === null) return null;
  return (
    <WalletList
      title="withWallet"
      wallets={wallets}
      underWay={step && UNDER_WAY[step.kind]}
      ended={
        step && (
          <>
            <Ended step={step} status={status} />
            {step.kind === "unknown" && chosen && (
              <button type="button" class="button" onClick={() => void pay(chosen, true)}>
                {say("omitReference")}
              </button>
            )}
          </>
        )
      }
      primary={
        isRest ? (wallet) => say("payWith", { amount: shownDue(status), wallet }) : undefined
      }
      onChoose={(wallet) => void pay(wallet)}
      onHandOff={onHandOff}
    />
  );
}

function Ended({ step, status }: { step: Step; status: Status }) {
  const say = useSay();
  if (step.kind === "refused") return <Failure status={status} code={step.code} />;
  return <p class="problem">{describe()}</p>;

  function describe(): string {
    if (step.kind === "wrong-network") return say("wrongNetwork", { network: status.chainName });
    if (step.kind !== "insufficient") {
      return say(step.kind === "rejected" ? "rejected" : "walletUnknown");
    }
    const { balance, ofCoin } = step;
    if (ofCoin && status.currency !== "native") {
      return say("insufficientFee", { coin: status.chainSymbol });
    }
    const held = toDecimal(balance, status.decimals);
    const shown = shownAmount({ amount: held, symbol: status.symbol });
    return say("insufficient", { balance: shown, amount: shownDue(status) });
  }
}

/** The wallets of this browser. They announce themselves at once, so they are known before the first frame. */
export function useWallets(): readonly Wallet[] {
  const [wallets, setWallets] = useState<Wallet[]>([]);
  useLayoutEffect(() => findWallets(setWallets), []);
  return wallets;
}
