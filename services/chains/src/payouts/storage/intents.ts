// SQL of intents. Like candidates, they are claimed by a lease that moves their due time forward, so that no lock is held
// while providers or signers are asked; a process that dies leaves them due again.
import { arrayParameters, columnArrays } from "@pay/database";
import {
  type Address,
  type ChainId,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
  toTxHash,
} from "@pay/values";
import type { ClientBase, Pool } from "pg";
import type { Intent, NewIntent, SignedIntent, SignedTransaction } from "../domain/intent.ts";

const COLUMNS = {
  subject_id: "text",
  project_id: "text",
  mode: "smallint",
  request_id: "text",
  payment_id: "text",
  chain_id: "bigint",
  source: "text",
  destination: "text",
  currency: "text",
  decimals: "smallint",
  base_amount: "numeric",
  owed_since: "timestamptz",
  version: "integer",
} as const;
type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[];
const TYPES = Object.values(COLUMNS);

const INSERT = {
  name: "insert-intents",
  text: `
    insert into intents (${NAMES.join(", ")}, next_at, created_at)
    select *, $${NAMES.length + 1}::timestamptz, $${NAMES.length + 1}::timestamptz
    from unnest(${arrayParameters(TYPES, 1)})
    on conflict (project_id, mode, subject_id) do nothing`,
};

/** One intent per refund or settlement, however often its event comes. */
export async function insertIntents(
  db: Pool | ClientBase,
  intents: readonly NewIntent[],
  now: Date,
): Promise<number> {
  if (intents.length === 0) return 0;
  const rows = intents.map((one) => ({
    subject_id: one.subjectId,
    project_id: one.projectId,
    mode: one.mode,
    request_id: one.requestId,
    payment_id: one.paymentId ?? null,
    chain_id: one.chainId,
    source: one.source,
    destination: one.destination,
    currency: one.currency,
    decimals: one.decimals,
    base_amount: one.baseAmount,
    owed_since: one.owedSince,
    version: one.version,
  }));
  const { rowCount } = await db.query({ ...INSERT, values: [...columnArrays(NAMES, rows), now] });
  return rowCount ?? 0;
}

const SUBJECT_TYPES = ["text", "smallint", "text"];
/** Projects, modes and ids of the first three parameters. */
export const SUBJECT_PARAMETERS = arrayParameters(SUBJECT_TYPES, 1);

/** How an intent is named: its id is one of its project. */
export type Subject = Pick<Intent, "projectId" | "mode" | "subjectId">;

export function subjectArrays(subjects: readonly Subject[]): unknown[][] {
  return [
    subjects.map(({ projectId }) => projectId),
    subjects.map(({ mode }) => mode),
    subjects.map(({ subjectId }) => subjectId),
  ];
}

export interface Wallet {
  chainId: ChainId;
  address: Address;
}

export interface IntentRow {
  subject_id: string;
  project_id: string;
  mode: number;
  request_id: string;
  payment_id: string | null;
  chain_id: string;
  source: string;
  destination: string;
  currency: string;
  decimals: number;
  base_amount: string;
  owed_since: Date;
  version: number;
  held_reason: string | null;
  nonce: string | null;
  gas_limit: string | null;
  signed_block: string | null;
  mined_tx_hash: string | null;
  created_at: Date;
}

export function toIntent(row: IntentRow): Intent {
  return {
    subjectId: row.subject_id,
    projectId: row.project_id,
    mode: row.mode,
    requestId: row.request_id,
    paymentId: row.payment_id ?? undefined,
    chainId: toChainId(row.chain_id),
    source: toAddress(row.source),
    destination: toAddress(row.destination),
    currency: toCurrency(row.currency),
    decimals: row.decimals,
    baseAmount: toAmount(row.base_amount),
    owedSince: row.owed_since,
    version: row.version,
    createdAt: row.created_at,
    heldReason: row.held_reason ?? undefined,
  };
}

function claim(name: string, which: string) {
  return {
    name,
    text: `
      update intents set next_at = $3::timestamptz + $4 * interval '1 millisecond'
      where (project_id, mode, subject_id) in (
        select project_id, mode, subject_id from intents
        where chain_id = $1 and source = $2 and ${which} and next_at <= $3
        order by next_at, created_at limit $5 for update skip locked)
      returning *`,
  };
}

const CLAIM_WAITING = claim("claim-waiting-intents", "state = 'waiting'");
const CLAIM_UNMINED = claim("claim-unmined-intents", "state = 'signed' and mined_tx_hash is null");
const CLAIM_MINED = claim("claim-mined-intents", "state = 'signed' and mined_tx_hash is not null");

interface Claim extends Wallet {
  now: Date;
  leaseMs: number;
  max: number;
}

function buildValues({ chainId, address, now, leaseMs, max }: Claim): unknown[] {
  return [chainId, address, now, leaseMs, max];
}

const IN_FLIGHT = {
  name: "count-intents-in-flight",
  text: `
    select count(*)::int as n from intents
    where chain_id = $1 and source = $2 and state = 'signed' and mined_tx_hash is null`,
};

/** Signed and not mined. */
export async function countInFlight(pool: Pool, { chainId, address }: Wallet): Promise<number> {
  const { rows } = await pool.query<{ n: number }>({ ...IN_FLIGHT, values: [chainId, address] });
  return rows[0]?.n ?? 0;
}

/** Those that may be signed now, the oldest first. */
export async function claimWaiting(pool: Pool, terms: Claim): Promise<Intent[]> {
  const { rows } = await pool.query<IntentRow>({ ...CLAIM_WAITING, values: buildValues(terms) });
  return rows.map(toIntent).sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** Those whose transactions are looked for now, in the order of their nonces. */
export function claimUnmined(pool: Pool, terms: Claim): Promise<SignedIntent[]> {
  return claimSigned(pool, terms, CLAIM_UNMINED);
}

/** Those that are in a block and not done, in the order of their nonces. */
export function claimMined(pool: Pool, terms: Claim): Promise<SignedIntent[]> {
  return claimSigned(pool, terms, CLAIM_MINED);
}

async function claimSigned(
  pool: Pool,
  terms: Claim,
  statement: { name: string; text: string },
): Promise<SignedIntent[]> {
  const { rows } = await pool.query<IntentRow>({ ...statement, values: buildValues(terms) });
  const transactions = await findTransactions(pool, rows);
  return rows
    .map((row) => toSignedIntent(row, transactions.get(getKey(row)) ?? []))
    .sort((a, b) => a.nonce - b.nonce);
}

function toSignedIntent(row: IntentRow, transactions: readonly TransactionRow[]): SignedIntent {
  function withVerdict(verdict: string) {
    return new Set(
      transactions.filter((one) => one.verdict === verdict).map((one) => toTxHash(one.tx_hash)),
    );
  }

  return {
    ...toIntent(row),
    nonce: Number(row.nonce),
    gasLimit: BigInt(row.gas_limit ?? 0),
    signedBlock: Number(row.signed_block),
    minedTxHash: row.mined_tx_hash === null ? undefined : toTxHash(row.mined_tx_hash),
    proven: withVerdict("confirmed"),
    refuted: withVerdict("rejected"),
    transactions: transactions.map(toTransaction),
  };
}

const TRANSACTIONS = {
  name: "find-signed-transactions",
  text: `
    select s.*, c.state as verdict
    from unnest(${SUBJECT_PARAMETERS}) as i (project_id, mode, subject_id)
      join signed_transactions s using (project_id, mode, subject_id)
      left join candidates c on c.project_id = s.project_id and c.mode = s.mode and c.subject_id = s.subject_id
        and c.tx_hash = s.tx_hash
    order by s.ordinal`,
};

interface TransactionRow extends SubjectRow {
  ordinal: number;
  tx_hash: string;
  raw: Buffer;
  max_fee: string;
  priority_fee: string;
  signed_at: Date;
  sent_at: Date | null;
  verdict: string | null;
}

async function findTransactions(
  pool: Pool,
  intents: readonly SubjectRow[],
): Promise<Map<string, TransactionRow[]>> {
  if (intents.length === 0) return new Map();
  const values = columnArrays(["project_id", "mode", "subject_id"], intents);
  const { rows } = await pool.query<TransactionRow>({ ...TRANSACTIONS, values });
  return Map.groupBy(rows, getKey);
}

/** Ids are unique inside a project alone. */
type SubjectRow = Pick<IntentRow, "project_id" | "mode" | "subject_id">;

function getKey({ project_id, mode, subject_id }: SubjectRow): string {
  return `${project_id} ${mode} ${subject_id}`;
}

function toTransaction(row: TransactionRow): SignedTransaction {
  return {
    ordinal: row.ordinal,
    txHash: toTxHash(row.tx_hash),
    raw: `0x${row.raw.toString("hex")}`,
    fees: { maxFee: BigInt(row.max_fee), priorityFee: BigInt(row.priority_fee) },
    signedAt: row.signed_at,
    sentAt: row.sent_at ?? undefined,
  };
}
