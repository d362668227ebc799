import type { PendingHash, Server, Status } from "@pay/sdk/browser";
import { useState } from "preact/hooks";
import type { OnHandOff } from "../hand-off.ts";
import { Countdown } from "./countdown.tsx";
import { Failure } from "./failure.tsx";
import { ScanOrCopy } from "./scan-or-copy.tsx";
import { isPhone } from "./wallet-apps.tsx";
import { useWallets, Wallets } from "./wallets.tsx";

interface Props {
  status: Status;
  server: Server;
  /** Code of the error of the last hash, if it was rejected. */
  refused: string | undefined;
  onPaid: (sent: PendingHash) => void;
  /** The server has a signature. */
  onSigned: () => void;
  onMoreTime: () => Promise<void>;
  onHandOff: OnHandOff;
}

export function Ready(props: Props) {
  const { status, server, onPaid, onSigned, onMoreTime, onHandOff } = props;
  // What the payer has signed was sent, and the network refused it.
  const reverted = status.authorization?.state === "failed" ? "reverted" : undefined;
  const refused = props.refused ?? reverted;
  const found = useWallets();
  const [onPhone] = useState(isPhone);
  const isCodeFirst = status.qrMode || (found.length === 0 && !onPhone);
  const code = <ScanOrCopy key="code" status={status} title={isCodeFirst ? "scan" : "orScan"} />;
  const wallets = (
    <Wallets
      key="wallets"
      status={status}
      server={server}
      wallets={found}
      onPaid={onPaid}
      onSigned={onSigned}
      onHandOff={onHandOff}
    />
  );
  return (
    <>
      <Countdown status={status} onMoreTime={onMoreTime} />
      {refused !== undefined && (
        <section class="part">
          <Failure status={status} code={refused} />
        </section>
      )}
      {isCodeFirst ? [code, wallets] : [wallets, code]}
    </>
  );
}
