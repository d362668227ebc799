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
//   use of the nonce a final one that no provider denies, changes an intent.
import type { Clock, Log } from "@pay/process";
import type { Pool } from "pg";
import type { ConfiguredChain } from "../catalog/configured.ts";
import type { Heights } from "../domain/finality.ts";
import type { Providers } from "../providers/providers.ts";
import type { Reader } from "../providers/reader.ts";
import type { Signer } from "../signing/signer.ts";
import { followSigned } from "./follow-signed.ts";
import { signWaiting } from "./sign-waiting.ts";

export interface Sending {
  chain: ConfiguredChain;
  providers: Providers;
  heightsOf(reader: Reader): Promise<Heights>;
  pool: Pool;
  clock: Clock;
  log: Log;
  stopping: AbortSignal;
  /** Called when a transaction was mined, so that it is verified at once. */
  onMined(): void;
  /** Called when an event was written. */
  onWritten(): void;
}

/** One wallet's part of a round, with the providers that answer now. */
export interface Turn extends Sending {
  signer: Signer;
  readers: readonly [Reader, ...Reader[]];
}

/** Short, because nothing breaks where two processes have the same intent in hand. */
export const LEASE_MS = 5_000;

export async function sendFrom(sending: Sending, signer: Signer): Promise<void> {
  while (!sending.stopping.aborted) {
    const [reader, ...others] = await sending.providers.readers();
    if (reader === undefined) return;
    const turn: Turn = { ...sending, signer, readers: [reader, ...others] };
    const isWhole = await followSigned(turn);
    const signed = await signWaiting(turn);
    if (isWhole && signed === 0) return;
  }
}
