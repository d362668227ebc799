// Sends refunds and settlements from the wallets that this process signs for. A round follows signed intents, then
// signs waiting ones.
//
// Failure modes:
// - the process is killed before the signature is stored: nothing was sent, and the intent becomes due again.
// - it is killed later: the stored bytes are sent again; nodes report them as known or mined.
// - two processes sign at once: both give the nonce that they continue from, so one of them stores nothing.
// - the wallet sends something else: it is frozen until an operator decides, and a foreign use of a nonce ends its
//   intent, so that no refund is sent under a second nonce.
// - providers fail, lag or contradict each other: the transaction is sent and followed again. Only a receipt, and for a
//   foreign use of the nonce a final one from a second provider too, changes an intent.

import { followSigned } from "./follow-signed.ts";
import { signWaiting } from "./sign-waiting.ts";
import type { Signer } from "./signer.ts";
import type { Sending, WalletRound } from "./wallet-round.ts";

/** A round waits for intents that are due sooner than this. */
const SOON_MS = 100;

export async function sendFrom(sending: Sending, signer: Signer): Promise<void> {
  while (!sending.stopping.aborted) {
    const [reader, ...others] = await sending.providers.allReaders();
    if (reader === undefined) return;
    const round: WalletRound = { ...sending, signer, readers: [reader, ...others] };
    const delayMs = await followSigned(round);
    if ((await signWaiting(round)) > 0 || delayMs === 0) continue;
    if (delayMs === undefined || delayMs > SOON_MS) return;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}
