// A wallet that has signed an authorization is screened before anything is sent for it.
import { Failure } from "@pay/failures";
import type { Address } from "@pay/values";
import type { Wallet } from "../attribution/storage/queue.ts";
import type { Deps } from "../deps.ts";
import { findScreenings } from "../generated/sql.ts";
import { findPolicies, requestScreening, storeAnswer } from "./storage.ts";

/** A wallet that is named is told of with the payment. Without an answer nothing is stored: it may be tried again. */
export async function screenAuthorization(
  { pool, clock, ask, onScreened }: Pick<Deps, "pool" | "clock" | "ask" | "onScreened">,
  { wallet, paymentId, payer }: { wallet: Wallet; paymentId: string; payer: Address },
): Promise<void> {
  const { projectId, chainId } = wallet;
  const policy = (await findPolicies(pool, [projectId])).get(projectId);
  const name = { project_id: projectId, payment_id: paymentId, sender: payer };
  const known = (await findScreenings(pool, { payments: [name] })).find(
    ({ sender }) => sender === payer,
  );
  if (known?.is_blocked === true) throw refusal();
  if (policy === undefined || known?.is_blocked === false) return;
  const answer = await ask(policy, { paymentId, chainId, address: payer });
  if (answer === undefined && policy.onFail === "allow") return;
  if (answer !== undefined) {
    await requestScreening(pool, { wallet, paymentId, sender: payer }, clock.now());
    await storeAnswer(pool, name, answer, clock.now());
    onScreened();
  }
  if (answer?.isBlocked !== false) throw refusal();
}

function refusal(): Failure {
  return new Failure("payer_screened", "The shop takes no payment from this wallet");
}
