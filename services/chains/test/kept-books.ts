// The books of wallets of a test chain.
import { Mode } from "@pay/proto";
import { type TestChain, until } from "@pay/testing";
import { PROJECT, type TestChains } from "./chains.ts";

/** Of a chain with a block a second: the books are a minute behind its final block. */
const LAG_BLOCKS = 70;
/** A busy machine answers late, and a provider that is given up rests. */
export const OFTEN = {
  environment: { CHAINS_BOOKS_INTERVAL_MS: "50" },
  bounds: { rpcTimeoutMs: 30_000 },
};

export const TENANT = { projectId: PROJECT, mode: Mode.TEST };

export async function listBooks(
  { client }: TestChains,
  given: { month?: string; tenant?: object },
) {
  const month = new Date().toISOString().slice(0, 7);
  const { books } = await client.listBooks({ tenant: TENANT, limit: 100, month, ...given });
  return books;
}

export async function readBalance(
  chain: TestChain,
  wallet: string,
  block = "latest",
): Promise<bigint> {
  return BigInt((await chain.call("eth_getBalance", [wallet, block])) as string);
}

/** All accounts have been opened, and checked up to a block that is final by now. */
export async function checkedUp({ chain, pool }: TestChains): Promise<void> {
  const head = await chain.head();
  await chain.mine(LAG_BLOCKS);
  await until(
    async () => {
      const { rows } = await pool.query<{ n: number; lowest: string }>(
        "select count(*)::int as n, min(checked_block) as lowest from book_accounts",
      );
      return (rows[0]?.n ?? 0) > 0 && Number(rows[0]?.lowest) > head;
    },
    { what: "the books up to that block" },
  );
}
