// The least that following a token can be: getLogs in ranges, JSON.parse, a set of recipients, and one insert for each
// range. It checks nothing, proves nothing and forgets what a reorganisation would change.
import type { Pool } from "pg";
import { hex } from "../parts/busy-chain.ts";

const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const RANGE_START = 100;
const RANGE_GROWTH = 1.25;
const RANGE_MAX = 2_000;

const INSERT = {
  name: "raw-insert",
  text: `insert into raw_transfers (tx_hash, log_index, block_number, recipient, value)
    select * from unnest($1::text[], $2::integer[], $3::bigint[], $4::text[], $5::numeric[])`,
};

interface Log {
  topics: string[];
  data: string;
  transactionHash: string;
  logIndex: string;
  blockNumber: string;
}

/** Milliseconds that it takes; throws where it does not find so many transfers. */
export async function followRaw(
  pool: Pool,
  terms: {
    rpcUrl: string;
    token: string;
    from: number;
    to: number;
    recipients: ReadonlySet<string>;
    expected: number;
  },
): Promise<number> {
  await pool.query(`create table if not exists raw_transfers
    (tx_hash text, log_index integer, block_number bigint, recipient text, value numeric(78, 0))`);
  await pool.query("truncate raw_transfers");
  const { rpcUrl, token, to, recipients, expected } = terms;
  const begun = performance.now();
  let found = 0;
  let range = RANGE_START;
  for (let from = terms.from; from <= to; ) {
    const last = Math.min(from + range - 1, to);
    const logs = await fetchLogs(rpcUrl, { token, from, to: last });
    const hits = logs.filter(({ topics }) => recipients.has(`0x${topics[2]?.slice(26)}`));
    found += hits.length;
    await pool.query({ ...INSERT, values: toColumns(hits) });
    from = last + 1;
    range = Math.min(Math.ceil(range * RANGE_GROWTH), RANGE_MAX);
  }
  const tookMs = performance.now() - begun;
  if (found !== expected) throw new Error(`the raw loop found ${found} of ${expected} transfers`);
  return tookMs;
}

function toColumns(hits: readonly Log[]): unknown[][] {
  return [
    hits.map(({ transactionHash }) => transactionHash),
    hits.map(({ logIndex }) => Number(logIndex)),
    hits.map(({ blockNumber }) => Number(blockNumber)),
    hits.map(({ topics }) => `0x${topics[2]?.slice(26)}`),
    hits.map(({ data }) => BigInt(data).toString()),
  ];
}

async function fetchLogs(
  rpcUrl: string,
  { token, from, to }: { token: string; from: number; to: number },
): Promise<Log[]> {
  const filter = {
    address: token,
    topics: [TRANSFER_TOPIC],
    fromBlock: hex(from),
    toBlock: hex(to),
  };
  const answered = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filter] }),
  });
  const { result } = JSON.parse(await answered.text()) as { result: Log[] };
  return result;
}
