import type { Sent, Status } from "@pay/sdk/browser";
import { useSay } from "../speech.ts";
import { Countdown } from "./countdown.tsx";
import { Failure } from "./failure.tsx";
import { Heading } from "./heading.tsx";
import { ScanOrCopy } from "./scan-or-copy.tsx";
import { Wallets } from "./wallets.tsx";

interface Props {
  status: Status;
  /** Code of the refusal of the last hash, if it was refused. */
  refused: string | undefined;
  onPaid: (sent: Sent) => void;
}

export function Ready({ status, refused, onPaid }: Props) {
  const say = useSay();
  return (
    <section>
      <Heading name="ready">{say("payTitle", { shop: status.shop.displayName })}</Heading>
      <Countdown expiresAt={status.expiresAt} serverTime={status.serverTime} />
      {refused !== undefined && <Failure status={status} code={refused} />}
      {status.qrMode ? (
        <>
          <ScanOrCopy status={status} />
          <Wallets status={status} onPaid={onPaid} />
        </>
      ) : (
        <>
          <Wallets status={status} onPaid={onPaid} />
          <ScanOrCopy status={status} />
        </>
      )}
    </section>
  );
}
