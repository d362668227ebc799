import type { Status } from "@pay/sdk/browser";
import { shownAmount } from "../view.ts";
import { useSay, type Word } from "../words.ts";

/** What went wrong and what to do now, by the code that the server gave. */
const SENTENCES: Readonly<Record<string, Word>> = {
  wrong_token: "wrong_token",
  recipient_mismatch: "recipient_mismatch",
  reverted: "reverted",
  replaced: "replaced",
  predates_payment: "predates_payment",
  transfer_already_used: "transfer_already_used",
  tx_hash_used: "transfer_already_used",
  ambiguous: "ambiguous",
  not_found: "not_found",
  reorged: "not_found",
  payment_attempts_exhausted: "attempts",
  payment_expired: "expired",
  payment_status_invalid: "notOpen",
  payer_fixed: "otherPayer",
};

export function Failure({ status, code }: { status: Status; code: string | null }) {
  const say = useSay();
  const amount = shownAmount(status);
  return <p class="problem">{say(SENTENCES[code ?? ""] ?? "failedOther", { amount })}</p>;
}
