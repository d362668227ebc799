import { Failure } from "@pay/failures";
import type { FindOpenPaymentsRequest, Payment as Message } from "@pay/proto";
import { toAddress } from "@pay/values";
import type { Deps } from "../deps.ts";
import { findOpenPayments as findRows } from "../generated/sql.ts";
import { toMessage } from "../messages.ts";

const WALLETS_MAX = 1_000;
/** A wallet with more can match nothing anyway. Part of them would be a wrong response. */
const PAYMENTS_MAX = 20_000;

/** Chains decides with these whose an unnamed transfer is, so none may be missing. */
export async function findOpenPayments(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { wallets }: FindOpenPaymentsRequest,
): Promise<{ payments: Message[] }> {
  if (wallets.length > WALLETS_MAX)
    throw new Failure("field_invalid", `wallets must be at most ${WALLETS_MAX}`);
  const requested = new Map(
    wallets.map(({ chainId, recipientAddress }) => {
      const wallet = { chain_id: chainId, recipient_address: toAddress(recipientAddress) };
      return [`${chainId} ${wallet.recipient_address}`, wallet];
    }),
  );
  const payments = await findRows(db.pool, {
    wallets: [...requested.values()],
    now: clock.now(),
    limit: PAYMENTS_MAX + 1,
  });
  if (payments.length > PAYMENTS_MAX)
    throw new Failure("rate_limited", `wallets have more than ${PAYMENTS_MAX} open payments`);
  return { payments: payments.map(toMessage) };
}
