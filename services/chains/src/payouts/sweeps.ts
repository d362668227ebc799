// Plans sweeps: the money of deposit addresses moves on to the recipient of their payments. It never touches the wallet
// that pays the gas, so the limits of amounts do not bind it; the policy says from which amount on the gas is worth it.
// One that was made twice, or by somebody else before, moves nothing.
import {
  type Address,
  type Amount,
  type Currency,
  newId,
  SWEEP_ITEMS_MAX,
  toBaseUnits,
} from "@pay/values";
import { listSweepsDue, planSweep } from "../generated/sql.ts";
import type { Intent } from "./domain/intent.ts";
import type { Signer } from "./signer.ts";
import type { Sending, WalletRound } from "./wallet-round.ts";

type Planning = Pick<Sending, "pool" | "clock" | "getDecimals">;

/** Those that wait long enough, and those that fill a transaction. */
export async function planSweeps(planning: Planning, signer: Signer): Promise<void> {
  const { pool, clock } = planning;
  const { chainId, policy } = signer;
  const { projectId, mode, sweepAfterMs } = policy;
  const now = clock.now();
  const currencies = [...policy.limits.keys()].flatMap((currency) => {
    const sweepMin = readSweepMin(planning, signer, currency);
    return sweepMin === undefined ? [] : [{ currency, sweep_min: sweepMin }];
  });
  if (currencies.length === 0) return;
  const due = await listSweepsDue(pool, {
    projectId,
    mode,
    chainId,
    currencies,
    enough: SWEEP_ITEMS_MAX,
    waitingSince: new Date(now.getTime() - sweepAfterMs),
    now,
  });
  for (const { recipient, currency } of due) await plan(planning, signer, { recipient, currency });
}

/** Refunds and settlements that the wallet lacks the money for, which is still at deposit addresses. */
export async function sweepFor(round: WalletRound, intents: readonly Intent[]): Promise<void> {
  for (const { source: recipient, currency, paymentId } of intents) {
    await plan(round, round.signer, { recipient, currency, paymentId });
  }
}

async function plan(
  planning: Planning,
  signer: Signer,
  wanted: { recipient: Address; currency: Currency; paymentId?: string | undefined },
): Promise<void> {
  const { pool, clock, getDecimals } = planning;
  const { chainId, address: source, policy } = signer;
  const { projectId, mode } = policy;
  const decimals = getDecimals(wanted.currency);
  if (decimals === undefined) return;
  await planSweep(pool, {
    subjectId: newId("sweep"),
    projectId,
    mode,
    chainId,
    source,
    decimals,
    recipient: wanted.recipient,
    currency: wanted.currency,
    sweepMin: readSweepMin(planning, signer, wanted.currency) ?? null,
    paymentId: wanted.paymentId ?? null,
    max: SWEEP_ITEMS_MAX,
    now: clock.now(),
  });
}

/** In base units; undefined where the operator has set none. */
function readSweepMin(
  { getDecimals }: Planning,
  { policy }: Signer,
  currency: Currency,
): Amount | undefined {
  const sweepMin = policy.limits.get(currency)?.sweepMin;
  const decimals = getDecimals(currency);
  if (sweepMin === undefined || decimals === undefined) return undefined;
  return toBaseUnits(sweepMin, decimals);
}
