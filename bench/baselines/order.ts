// What both baselines check and store, so that they do the same durable work as the product: key check,
// validation, idempotency key, payment and outbox row, acknowledged only after a synchronous commit.
import { createHash, createHmac } from "node:crypto";
import { isAddress, newId, toBase62, toBaseUnits } from "@pay/values";

const PROJECT = "proj_benchmarkbenchmarkbench";
export const KEY = "sk_live_benchmarkbenchmarkbenchmarkbenchmarkbench00";
const PEPPER = "benchmark pepper of 32 characters!!";
const SECRET = "benchmark secret of 32 characters!!";
const LIFETIME_MS = 30 * 60_000;
const DECIMALS = 18;

function toDigest(key: string) {
  return createHmac("sha256", PEPPER).update(key).digest("hex");
}

const KNOWN = new Map([[toDigest(KEY), PROJECT]]);

export function findProject(key: unknown): string | undefined {
  return typeof key === "string" ? KNOWN.get(toDigest(key)) : undefined;
}

export function toFingerprint(body: Buffer): Buffer {
  return createHash("sha256").update(body).digest();
}

export interface Body {
  amount: string;
  chainId: number;
  currency: string;
  recipientAddress: string;
  description?: string | undefined;
}

export function toRow(projectId: string, body: Body) {
  const base = toBaseUnits(body.amount, DECIMALS);
  if (base === undefined || base === 0n || !isAddress(body.recipientAddress)) return undefined;
  const created = new Date();
  return {
    id: newId("pay"),
    project_id: projectId,
    mode: 1,
    variant: 1,
    status: "created",
    amount: body.amount,
    base_amount: base.toString(),
    decimals: DECIMALS,
    currency: body.currency,
    chain_id: BigInt(body.chainId),
    recipient_address: body.recipientAddress,
    description: body.description ?? null,
    qr_mode: false,
    secret_version: 1,
    expires_at: new Date(created.getTime() + LIFETIME_MS),
    created_at: created,
  };
}

export type Row = NonNullable<ReturnType<typeof toRow>>;

export function toEvent(row: Row) {
  return {
    event_id: newId("evt"),
    type: "payment.created",
    topic: "payments.events.v1",
    key: row.project_id,
    request_id: "",
    payload: Buffer.from(JSON.stringify({ ...row, chain_id: Number(row.chain_id) })),
  };
}

export function toAnswer(row: Row): string {
  return JSON.stringify({
    id: row.id,
    clientSecret: `cs_live_${toBase62(createHmac("sha256", SECRET).update(row.id).digest(), 43)}`,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    chainId: Number(row.chain_id),
    recipientAddress: row.recipient_address,
    description: row.description,
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  });
}
