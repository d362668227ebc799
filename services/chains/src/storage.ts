// Candidates in SQL. Work is taken by moving its due time forward: a lease, so that no lock is held while
// providers are asked, and what a crashed process had taken becomes due again by itself.
import type { ClientBase, Pool } from "pg";
import type { Candidate, Sender, Submission } from "./domain/candidate.ts";
import type { Surroundings } from "./domain/judge.ts";
import { keyOf, type Transfer, type TransferKind } from "./domain/transfer.ts";

type Queryable = Pool | ClientBase;

const SUBMISSION_COLUMNS = {
  subject_id: "text",
  project_id: "text",
  mode: "smallint",
  request_id: "text",
  chain_id: "bigint",
  tx_hash: "text",
  recipient: "text",
  currency: "text",
  payer: "text",
  base_amount: "numeric",
  exact: "boolean",
  not_before: "timestamptz",
  not_after: "timestamptz",
  give_up_at: "timestamptz",
  attempt: "integer",
} as const;
const NAMES = Object.keys(SUBMISSION_COLUMNS);
const PARAMETERS = Object.values(SUBMISSION_COLUMNS).map((type, at) => `$${at + 1}::${type}[]`);

// A hash that comes again with a newer version of its subject is judged anew; the same news again is no news.
const INSERT = {
  name: "insert-candidates",
  text: `
    insert into candidates (${NAMES.join(", ")}, next_at, created_at)
    select distinct on (subject_id, tx_hash) s.*, $${NAMES.length + 1}, $${NAMES.length + 1}
    from unnest(${PARAMETERS.join(", ")}) as s (${NAMES.join(", ")})
    where not exists (
      select from candidates c where c.subject_id = s.subject_id and c.state = 'confirmed')
    order by subject_id, tx_hash, attempt desc
    on conflict (subject_id, tx_hash) do update set
      payer = excluded.payer, request_id = excluded.request_id, give_up_at = excluded.give_up_at,
      attempt = excluded.attempt, state = 'waiting', reason = null, judged_at = null,
      next_at = excluded.next_at, misses = 0
    where candidates.attempt < excluded.attempt`,
};

export const insertCandidates = async (
  db: Queryable,
  submissions: readonly Submission[],
  now: Date,
): Promise<void> => {
  if (submissions.length === 0) return;
  const rows = submissions.map(({ claim, ...submission }) => [
    ...[submission.subjectId, submission.projectId, submission.mode, submission.requestId],
    ...[submission.chainId, submission.txHash, claim.recipient, claim.currency],
    ...[claim.payer ?? null, claim.baseAmount.toString(), claim.exact],
    ...[claim.notBefore, claim.notAfter ?? null, submission.giveUpAt, submission.attempt],
  ]);
  const columns = NAMES.map((_, at) => rows.map((row) => row[at]));
  await db.query({ ...INSERT, values: [...columns, now] });
};

const CLAIM = {
  name: "claim-candidates",
  text: `
    update candidates set next_at = $2::timestamptz + $3 * interval '1 millisecond'
    where id in (
      select id from candidates where chain_id = $1 and state = 'waiting' and next_at <= $2
      order by next_at limit $4 for update skip locked)
    returning *`,
};

/** Takes candidates that are due; they are due again when the lease has run out. */
export const claimCandidates = async (
  db: Queryable,
  options: { chainId: number; now: Date; leaseMs: number; max: number },
): Promise<Candidate[]> => {
  const { chainId, now, leaseMs, max } = options;
  const { rows } = await db.query<CandidateRow>({ ...CLAIM, values: [chainId, now, leaseMs, max] });
  return rows.map(toCandidate);
};

export interface Later {
  id: bigint;
  nextAt: Date;
  misses: number;
  sender: Sender | undefined;
}

const RESCHEDULE = {
  name: "reschedule-candidates",
  text: `
    update candidates c set next_at = l.next_at, misses = l.misses,
      sender = l.sender, nonce = l.nonce, seen_block = l.seen_block
    from unnest($1::bigint[], $2::timestamptz[], $3::integer[], $4::text[], $5::bigint[], $6::bigint[])
      as l (id, next_at, misses, sender, nonce, seen_block)
    where c.id = l.id and c.state = 'waiting'`,
};

export const rescheduleCandidates = async (
  db: Queryable,
  later: readonly Later[],
): Promise<void> => {
  if (later.length === 0) return;
  const values = [
    later.map(({ id }) => id),
    later.map(({ nextAt }) => nextAt),
    later.map(({ misses }) => misses),
    later.map(({ sender }) => sender?.address ?? null),
    later.map(({ sender }) => sender?.nonce ?? null),
    later.map(({ sender }) => sender?.seenBlock ?? null),
  ];
  await db.query({ ...RESCHEDULE, values });
};

export const abandonCandidates = async (db: Queryable, ids: readonly bigint[]): Promise<void> => {
  if (ids.length === 0) return;
  await db.query({
    name: "abandon-candidates",
    text: "update candidates set state = 'abandoned' where id = any($1::bigint[]) and state = 'waiting'",
    values: [ids],
  });
};

// Nobody looks at a chain without a provider; when one is configured in time, its candidates are still there.
const FORGET = {
  name: "abandon-forgotten-candidates",
  text: `
    update candidates set state = 'abandoned'
    where state = 'waiting' and give_up_at < $1::timestamptz - interval '1 day'
      and chain_id <> all ($2::bigint[])`,
};

export const abandonForgotten = async (
  db: Queryable,
  { chainIds, now }: { chainIds: readonly number[]; now: Date },
): Promise<void> => {
  await db.query({ ...FORGET, values: [now, chainIds] });
};

// Only what fell short counts towards the sum: other refusals say that the transfer was not meant for it.
const NEIGHBOURHOOD = {
  name: "find-neighbourhood",
  text: `
    select 'taken' as what, t.tx_hash, t.kind, t.ordinal, t.currency, t.sender, t.recipient, t.value
    from transfers t join allocations a on a.transfer_id = t.id
    where t.chain_id = $1 and t.tx_hash = $2
    union all
    select distinct 'payer', null, null, null::integer, null, c.payer, null, null::numeric
    from candidates c
    where c.state = 'waiting' and c.payer is not null and c.chain_id = $1 and c.recipient = $4
      and c.currency = $5 and c.base_amount = $6 and c.subject_id <> $3
    union all
    select 'earlier', t.tx_hash, t.kind, t.ordinal, t.currency, t.sender, t.recipient, t.value
    from candidates c join transfers t on t.chain_id = c.chain_id and t.tx_hash = c.tx_hash
    where c.subject_id = $3 and c.state = 'rejected' and c.reason = 'underpaid'
      and c.tx_hash <> $2 and not c.exact and t.recipient = $4 and t.currency = $5
      and ($7::text is null or t.sender = $7)
      and not exists (select from allocations a where a.transfer_id = t.id)`,
};

/** What judging a candidate by a transaction needs to know about the others. */
export const findNeighbourhood = async (
  db: Queryable,
  { subjectId, chainId, claim }: Candidate,
  txHash: string,
): Promise<Surroundings> => {
  const { recipient, currency, payer, baseAmount } = claim;
  const values = [chainId, txHash, subjectId, recipient, currency, `${baseAmount}`, payer ?? null];
  const { rows } = await db.query<TransferRow & { what: string }>({ ...NEIGHBOURHOOD, values });
  const found = (what: string) => rows.filter((row) => row.what === what);
  return {
    taken: new Set(found("taken").map((row) => keyOf(toTransfer(row)))),
    payersElsewhere: new Set(found("payer").map(({ sender }) => sender)),
    earlier: found("earlier").map(toTransfer),
  };
};

interface TransferRow {
  tx_hash: string;
  kind: TransferKind;
  ordinal: number;
  currency: string;
  sender: string;
  recipient: string;
  value: string;
}

const toTransfer = ({ tx_hash, kind, ordinal, value, ...row }: TransferRow): Transfer => ({
  ...{ txHash: tx_hash, kind, ordinal, value: BigInt(value) },
  ...{ currency: row.currency, sender: row.sender, recipient: row.recipient },
});

interface CandidateRow {
  id: string;
  subject_id: string;
  project_id: string;
  mode: number;
  request_id: string;
  chain_id: string;
  tx_hash: string;
  recipient: string;
  currency: string;
  payer: string | null;
  base_amount: string;
  exact: boolean;
  not_before: Date;
  not_after: Date | null;
  give_up_at: Date;
  attempt: number;
  misses: number;
  sender: string | null;
  nonce: string | null;
  seen_block: string | null;
  created_at: Date;
}

const toCandidate = (row: CandidateRow): Candidate => ({
  id: BigInt(row.id),
  subjectId: row.subject_id,
  projectId: row.project_id,
  mode: row.mode,
  requestId: row.request_id,
  chainId: Number(row.chain_id),
  txHash: row.tx_hash,
  claim: {
    recipient: row.recipient,
    currency: row.currency,
    payer: row.payer ?? undefined,
    baseAmount: BigInt(row.base_amount),
    exact: row.exact,
    notBefore: row.not_before,
    notAfter: row.not_after ?? undefined,
  },
  giveUpAt: row.give_up_at,
  attempt: row.attempt,
  misses: row.misses,
  sender:
    row.sender === null
      ? undefined
      : { address: row.sender, nonce: Number(row.nonce), seenBlock: Number(row.seen_block) },
  createdAt: row.created_at,
});
