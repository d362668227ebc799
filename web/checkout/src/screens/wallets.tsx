import {
  findWallets,
  type PendingHash,
  requestTransfer,
  type Server,
  type Status,
  type Step,
  type Wallet,
} from "@pay/sdk/browser";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
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
  signing: "signing",
  sending: "sentBanner",
  authorized: "sentBanner",
};

interface Props {
  status: Status;
  server: Server;
  wallets: readonly Wallet[];
  /** The rest of a part payment is one button where there is one wallet. */
  isRest?: boolean;
  onPaid: (sent: PendingHash) => void;
  /** The server has a signature, or has refused it. */
  onSigned: () => void;
  onHandOff: OnHandOff;
}

export function Wallets(props: Props) {
  const { status, server, wallets, isRest = false, onPaid, onSigned, onHandOff } = props;
  const say = useSay();
  const [step, setStep] = useState<Step>();
  const [chosen, setChosen] = useState<Wallet>();
  const [omitSignature, setOmitSignature] = useState(false);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);

  async function pay(wallet: Wallet, omitReference = false): Promise<void> {
    setChosen(wallet);
    const { signal } = leaving.current;
    const omitted = { omitReference, omitSignature: omitSignature || omitReference };
    const terms = { status, server, signal, onStep: setStep, ...omitted };
    const end = await requestTransfer(wallet.provider, terms);
    if ("hash" in end) return onPaid(end);
    if (signal.aborted) return;
    setStep(end);
    if (end.kind === "unsponsored") setOmitSignature(true);
    if (end.kind === "authorized" || end.kind === "unsponsored") onSigned();
  }

  if (status.transaction === null) return null;
  return (
    <WalletList
      title="withWallet"
      note={!omitSignature && status.authorization?.typedData ? "noFee" : undefined}
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
    if (step.kind === "unsponsored") return say("unsponsored");
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
