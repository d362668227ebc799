// Proofs whose blocks left the chain. A payment that stood on one is not confirmed any more: all its hashes are
// verified again, because another one may prove it now. Money that had only added to a payment is revoked alone.
import { appendOutbox, outboxRow } from "@pay/events";
import { type ChainId, toAmount, toTxHash } from "@pay/values";
import type { PoolClient } from "pg";
import * as sql from "../../generated/sql.ts";
import { toUnseenEvent } from "../observations.ts";
import { toCandidate } from "./rows.ts";

const REORGED_WAIT_MS = 60 * 60_000;

/**
 * Revokes the proofs that stand on orphaned transfers of the chain; returns the payments that are not confirmed any
 * more.
 */
export async function revokeProofs(
  tx: PoolClient,
  { chainId, now }: { chainId: ChainId; now: Date },
): Promise<string[]> {
  const rows = await sql.lockRevokedProofs(tx, { chainId });
  if (rows.length === 0) return [];
  const candidates = rows.map(({ project_id, id }) => ({ project_id, id }));
  const giveUpAt = new Date(now.getTime() + REORGED_WAIT_MS);
  await sql.revokeProofs(tx, { candidates, now, giveUpAt });
  const proofs = rows.filter(({ state }) => state === "confirmed");
  const unproven = new Set(proofs.map(subjectKey));
  const published = rows.filter(
    (row) => row.state === "confirmed" || !unproven.has(subjectKey(row)),
  );
  await appendOutbox(
    tx,
    published.map((row) => outboxRow(toEvent(row, now))),
  );
  return proofs.map(({ subject_id }) => subject_id);
}

function subjectKey({ project_id, mode, subject_id }: sql.LockRevokedProofsRow): string {
  return `${project_id} ${mode} ${subject_id}`;
}

function toEvent(row: sql.LockRevokedProofsRow, at: Date) {
  const revoked = {
    txHash: toTxHash(row.proving_tx_hash ?? row.tx_hash),
    received: toAmount(row.received),
  };
  return toUnseenEvent(toCandidate(row), revoked, at);
}
