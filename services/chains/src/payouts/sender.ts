// Sends refunds and settlements from the wallets that this process signs for. A round looks at what is signed, then signs
// what waits.
//
// What can go wrong, and what happens then:
// - the process is killed before the signature is stored: nothing was sent, the intent is due again.
// - it is killed later: the stored bytes are sent again; nodes answer that they know them, or that they are mined.
// - two processes sign at once: both name the nonce that they continue from, so one of them stores nothing.
// - the wallet sends something of its own: it is frozen until an operator has looked, and a nonce that was used by something
//   else ends its intent, so that no refund is sent under a second nonce.
// - providers fail, lag or contradict each other: the transaction is sent and looked for again. Only a receipt, and for a foreign
//   use of the nonce a final one that a second provider shows too, changes an intent.

import { followSigned } from "./follow-signed.ts";
import { signWaiting } from "./sign-waiting.ts";
import type { Signer } from "./signer.ts";
import type { Sending, Turn } from "./wallet-round.ts";

/** Looks that are due sooner than this are waited for; later ones are the next round's. */
const SOON_MS = 100;

export async function sendFrom(sending: Sending, signer: Signer): Promise<void> {
  while (!sending.stopping.aborted) {
    const [reader, ...others] = await sending.providers.allReaders();
    if (reader === undefined) return;
    const turn: Turn = { ...sending, signer, readers: [reader, ...others] };
    const delayMs = await followSigned(turn);
    if ((await signWaiting(turn)) > 0 || delayMs === 0) continue;
    if (delayMs === undefined || delayMs > SOON_MS) return;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}
