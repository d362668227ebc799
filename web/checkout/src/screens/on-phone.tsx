import { type OnHandOff, useHandOff } from "../hand-off.ts";
import { useSay } from "../speech.ts";
import { HandOffLink } from "./hand-off-link.tsx";
import { QrCode } from "./qr-code.tsx";

/** In a browser without a wallet the payment goes on where the wallet is: on the phone. */
export function OnPhone({ onHandOff }: { onHandOff: OnHandOff }) {
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
