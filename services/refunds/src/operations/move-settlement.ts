// The moves of merchants: approve, reject, submit a transaction. Each is decided on the row as it was read, and again
// where the row has moved in the meantime.
import { retryOnStaleVersion, transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import type {
  ApproveSettlementRequest,
  Settlement as Message,
  RejectSettlementRequest,
  SubmitSettlementTransactionRequest,
} from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { toAddress, toChainId } from "@pay/values";
import type { Deps } from "../deps.ts";
import { checkApprover, checkUsable } from "../domain/address-book.ts";
import {
  approve,
  type MovedSettlement,
  reject,
  type Settlement,
  submitTransaction,
  TRANSITIONS,
} from "../domain/settlement.ts";
import { toSettlementEvent, toSettlementMessage } from "../messages.ts";
import { settlementsTotal } from "../metrics.ts";
import { findDestination } from "../storage/destinations.ts";
import { changeSettlementHashes, moveSettlement } from "../storage/settlements.ts";
import { requireSettlement } from "./read-settlements.ts";

interface SettlementResponse {
  settlement: Message;
}

interface MoveRequest {
  tenant?: ApproveSettlementRequest["tenant"];
  id: string;
  requestId: string;
}

/** Decides and stores a move. */
function move(
  deps: Deps,
  { tenant, id, requestId }: MoveRequest,
  { trigger, decide }: { trigger: "approve" | "reject"; decide: Decide },
): Promise<SettlementResponse> {
  const owner = parseTenant(tenant);
  return retryOnStaleVersion("settlement", async () => {
    const settlement = await requireSettlement(deps, owner, id);
    const now = deps.clock.now();
    const moved = decide(settlement, now);
    if (moved instanceof Failure) throw moved;
    const { settlement: after, event: type } = moved;
    const event = toSettlementEvent(type, after, now, requestId);
    const isStored = await transaction(deps.db.pool, async (tx) => {
      if (trigger === "approve") {
        const chainId = toChainId(after.chain_id);
        const address = toAddress(after.destination_address);
        // An address that has left the address book since the request gets no money.
        const entry = await findDestination(tx, owner, { chainId, address });
        const failure = checkUsable(entry, now) ?? checkApprover(entry, after.approved_by);
        if (failure !== undefined) throw failure;
      }
      return moveSettlement(tx, after, event);
    });
    if (!isStored) return undefined;
    settlementsTotal.inc({ status: after.status });
    deps.relay.wake();
    return { settlement: toSettlementMessage(after) };
  });
}

type Decide = (settlement: Settlement, now: Date) => MovedSettlement | Failure;

export function approveSettlement(
  deps: Deps,
  request: ApproveSettlementRequest,
): Promise<SettlementResponse> {
  const { approvedBy } = request;
  if (approvedBy === "") throw new Failure("field_invalid", "approvedBy is required");
  return move(deps, request, {
    trigger: "approve",
    decide: (settlement, now) => approve(settlement, { approvedBy, now }),
  });
}

export function rejectSettlement(
  deps: Deps,
  request: RejectSettlementRequest,
): Promise<SettlementResponse> {
  return move(deps, request, { trigger: "reject", decide: reject });
}

/** Stores the hash; the verdict comes from the chain. */
export async function submitSettlementTransaction(
  deps: Deps,
  { tenant, id, txHash, requestId }: SubmitSettlementTransactionRequest,
): Promise<SettlementResponse> {
  const owner = parseTenant(tenant);
  return retryOnStaleVersion("settlement", async () => {
    const before = await requireSettlement(deps, owner, id);
    const result = submitTransaction(before, txHash);
    if (result instanceof Failure) throw result;
    if (result.kind === "unchanged") return { settlement: toSettlementMessage(before) };
    const { event: type, from } = TRANSITIONS.submit;
    const { record: after } = result;
    const event = toSettlementEvent(type, after, deps.clock.now(), requestId);
    const { pool } = deps.db;
    if (!(await changeSettlementHashes(pool, before, after, { from, event }))) return undefined;
    deps.relay.wake();
    return { settlement: toSettlementMessage(after) };
  });
}
