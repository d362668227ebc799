import type { Sent, Status } from "@pay/sdk/browser";
import { useSay } from "../speech.ts";
import { Countdown } from "./countdown.tsx";
import { Failure } from "./failure.tsx";
import { Heading } from "./heading.tsx";
import { ScanOrCopy } from "./scan-or-copy.tsx";
import type { OnHandOff } from "./wallet-apps.tsx";
import { Wallets } from "./wallets.tsx";

interface Props {
  status: Status;
  /** Code of the refusal of the last hash, if it was refused. */
  refused: string | undefined;
  onPaid: (sent: Sent) => void;
  onMoreTime: () => Promise<void>;
  onHandOff: OnHandOff;
}

export function Ready({ status, refused, onPaid, onMoreTime, onHandOff }: Props) {
  const say = useSay();
  return (
    <section class="ready">
      <Heading name="ready">{say("payTitle", { shop: status.shop.displayName })}</Heading>
      <Countdown status={status} onMoreTime={onMoreTime} />
      {refused !== undefined && <Failure status={status} code={refused} />}
      {status.qrMode ? (
        <>
          <ScanOrCopy status={status} />
          <Wallets {...{ status, onPaid, onHandOff }} />
        </>
      ) : (
        <>
          <Wallets {...{ status, onPaid, onHandOff }} />
          <ScanOrCopy status={status} />
        </>
      )}
    </section>
  );
}
