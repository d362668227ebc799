import type { Sent, Server, Status } from "@pay/sdk/browser";
import type { OnHandOff } from "../hand-off.ts";
import { useSay } from "../speech.ts";
import { Countdown } from "./countdown.tsx";
import { Failure } from "./failure.tsx";
import { Heading } from "./heading.tsx";
import { ScanOrCopy } from "./scan-or-copy.tsx";
import { Wallets } from "./wallets.tsx";

interface Props {
  status: Status;
  server: Server;
  /** Code of the refusal of the last hash, if it was refused. */
  refused: string | undefined;
  onPaid: (sent: Sent) => void;
  onMoreTime: () => Promise<void>;
  onHandOff: OnHandOff;
}

export function Ready({ status, server, refused, onPaid, onMoreTime, onHandOff }: Props) {
  const say = useSay();
  const wallets = <Wallets status={status} server={server} onPaid={onPaid} onHandOff={onHandOff} />;
  return (
    <section class="ready">
      <Heading name="ready">{say("payTitle", { shop: status.shop.displayName })}</Heading>
      <Countdown status={status} onMoreTime={onMoreTime} />
      {refused !== undefined && <Failure status={status} code={refused} />}
      {status.qrMode ? (
        <>
          <ScanOrCopy status={status} />
          {wallets}
        </>
      ) : (
        <>
          {wallets}
          <ScanOrCopy status={status} />
        </>
      )}
    </section>
  );
}
