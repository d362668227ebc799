import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Failure } from "@pay/failures";
import type { CreateHandoffRequest, RedeemHandoffRequest, RedeemHandoffResponse } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { newSecret } from "@pay/values";
import type { Deps } from "../deps.ts";
import { digestOfCode, HANDOFF_MS, refuseHandoff } from "../domain/handoff.ts";
import { findPaymentsByIds, saveHandoff, takeHandoff } from "../generated/sql.ts";
import { findPayments } from "../storage/payments.ts";
import { checkSecret, showSecret } from "./check-secret.ts";
import { PAYMENT_NOT_FOUND } from "./get-payments.ts";

const CODE_PREFIX = "ho_";

export async function createHandoff(deps: Deps, request: CreateHandoffRequest) {
  const { pool } = deps.db;
  const { id, clientSecret, trusted } = request;
  const [payment] = await findPayments(pool, [{ tenant: parseTenant(request.tenant), id }]);
  if (payment === undefined) throw new Failure("payment_not_found", PAYMENT_NOT_FOUND);
  const now = deps.clock.now();
  const unproven = trusted ? undefined : checkSecret(deps, clientSecret, payment);
  const refusal = unproven ?? refuseHandoff(payment, now);
  if (refusal !== undefined) throw refusal;
  const code = newSecret(CODE_PREFIX);
  const expiresAt = new Date(now.getTime() + HANDOFF_MS);
  await saveHandoff(pool, { paymentId: id, digest: digestOfCode(code), expiresAt });
  return { code, expiresAt: timestampFromDate(expiresAt) };
}

export async function redeemHandoff(
  deps: Deps,
  { id, code }: RedeemHandoffRequest,
): Promise<Pick<RedeemHandoffResponse, "clientSecret">> {
  const { pool } = deps.db;
  if (code === "") throw new Failure("field_invalid", "code must not be empty");
  const handoff = { paymentId: id, digest: digestOfCode(code), now: deps.clock.now() };
  const isTaken = (await takeHandoff(pool, handoff)) === 1;
  const [payment] = isTaken ? await findPaymentsByIds(pool, { ids: [id] }) : [];
  if (payment === undefined) {
    throw new Failure("handoff_invalid", "The code is wrong, was used, or is too old");
  }
  return { clientSecret: showSecret(deps, payment) };
}
