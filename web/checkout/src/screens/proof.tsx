// A transfer came that fits more than one order: the wallet that paid shows by its signature which one it was for.
import {
  requestSignature,
  type Server,
  type Signed,
  type SigningStep,
  type Status,
  type Wallet,
} from "@pay/sdk/browser";
import { useEffect, useRef, useState } from "preact/hooks";
import type { OnHandOff } from "../hand-off.ts";
import { useSay, type Word } from "../words.ts";
import { WalletList } from "./wallet-list.tsx";
import { useWallets } from "./wallets.tsx";

const UNDER_WAY: Partial<Record<(Signed | SigningStep)["kind"], Word>> = {
  connecting: "connecting",
  signing: "signing",
};

interface Props {
  status: Status;
  server: Server;
  /** The server has the signature. */
  onSigned: () => void;
  onHandOff: OnHandOff;
}

export function Proof({ status, server, onSigned, onHandOff }: Props) {
  const wallets = useWallets();
  const [step, setStep] = useState<Signed | SigningStep>();
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);

  async function sign({ provider }: Wallet): Promise<void> {
    const { signal } = leaving.current;
    const end = await requestSignature(provider, { status, server, signal, onStep: setStep });
    if (signal.aborted) return;
    setStep(end);
    if (end.kind === "signed") onSigned();
  }

  return (
    <WalletList
      title="signWithWallet"
      wallets={wallets}
      underWay={step && UNDER_WAY[step.kind]}
      ended={step && <Ended step={step} />}
      onChoose={(wallet) => void sign(wallet)}
      onHandOff={onHandOff}
    />
  );
}

function Ended({ step }: { step: Signed | SigningStep }) {
  const say = useSay();
  if (step.kind === "signed") return <p>{say("signed")}</p>;
  if (step.kind === "rejected") return <p class="problem">{say("signRejected")}</p>;
  const isOther = step.kind === "refused" && step.code === "payer_fixed";
  return <p class="problem">{say(isOther ? "signOther" : "signUnknown")}</p>;
}
