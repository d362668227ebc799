// Which chains and tokens can be paid in. The configuration says which ones are wanted; a chain is offered once a
// provider has said its id, a token once its own contract has said the decimals it is listed with. Both are kept,
// so that a restart offers them even while a provider is away.

import type { Clock, Log } from "@pay/process";
import { type Address, type ChainId, toAddress, toChainId } from "@pay/values";
import { Interface } from "ethers";
import type { Chain, Cursor, PrismaClient, Token } from "../generated/prisma/client.ts";
import type { Providers } from "../providers/providers.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import type { ConfiguredChain } from "./configured-chains.ts";
import { canSweep } from "./prove-sweeps.ts";
import { readDomain } from "./token-domain.ts";

/** A chain with its tokens, how far it is followed, and when a block of it is final. */
export interface OfferedChain {
  chain: Chain & { tokens: Token[] };
  cursor: Pick<Cursor, "head_number" | "final_number"> | undefined;
  policy: Pick<ConfiguredChain, "finality" | "blockTimeMs" | "trailingData"> | undefined;
}

export interface Catalog {
  /** Stores the configured chains and tokens. */
  register(): Promise<void>;
  /** Proves chains and tokens that are not proven yet. */
  prove(): Promise<void>;
  list(): Promise<OfferedChain[]>;
  /**
   * Decimals of the proven tokens of a chain, by address: also of those that are offered no longer,
   * because payments in them may be open.
   */
  getTokens(chainId: ChainId): ReadonlyMap<Address, number>;
}

export interface CatalogDeps {
  prisma: PrismaClient;
  chains: readonly ConfiguredChain[];
  /** By chain id. */
  providers: ReadonlyMap<ChainId, Providers>;
  clock: Clock;
  log: Log;
}

const ERC20 = new Interface(["function decimals() view returns (uint8)"]);
const NONE: ReadonlyMap<Address, number> = new Map();
/** Before a chain without deposit addresses is tried again; twice as long each time. */
const PAUSE_MS = { min: 10_000, max: 600_000 };

export function createCatalog(deps: CatalogDeps): Catalog {
  const { prisma, chains, providers, clock, log } = deps;
  let known = new Map<ChainId, Map<Address, number>>();
  // Logged once per start, because a wrong setting stays wrong from one round to the next.
  const refused = new Set<string>();
  /** By chains that have no deposit addresses. */
  const pauses = new Map<bigint, { untilMs: number; ms: number }>();

  async function list(): Promise<OfferedChain[]> {
    const [offered, cursors] = await Promise.all([
      prisma.chain.findMany({
        where: { enabled: true, proven_at: { not: null } },
        include: {
          tokens: {
            where: { enabled: true, checked_at: { not: null } },
            orderBy: { symbol: "asc" },
          },
        },
        orderBy: { chain_id: "asc" },
      }),
      prisma.cursor.findMany({
        select: { chain_id: true, head_number: true, final_number: true },
      }),
    ]);
    return offered.map((chain) => ({
      chain,
      cursor: cursors.find(({ chain_id }) => chain_id === chain.chain_id),
      policy: chains.find(({ chainId }) => chainId === toChainId(chain.chain_id)),
    }));
  }

  async function proveToken(token: Token): Promise<void> {
    const { chain_id, address, symbol, decimals } = token;
    const chainId = toChainId(chain_id);
    const said = await readDecimals(providers.get(chainId), toAddress(address));
    if (said === decimals) await offerToken(deps, token);
    else if (said !== undefined && !refused.has(`${chain_id} ${address}`)) {
      refused.add(`${chain_id} ${address}`);
      log.error(
        { chainId, symbol, address, listed: decimals, said },
        "a token is not offered: its contract says other decimals",
      );
    }
  }

  async function proveChain(chain: Chain): Promise<void> {
    const chainId = toChainId(chain.chain_id);
    const readers = await providers.get(chainId)?.readers();
    if (readers === undefined || readers.length === 0) {
      if (refused.has(`${chain.chain_id}`)) return;
      refused.add(`${chain.chain_id}`);
      log.error(
        { chainId },
        `chain ${chain.chain_id} is not offered, as none of its providers answers for it: correct CHAINS_PROVIDERS (or CHAINS_LOCAL)`,
      );
      return;
    }
    await prisma.chain.update({
      where: { chain_id: chain.chain_id },
      data: { proven_at: clock.now() },
    });
  }

  async function proveSweeps({ chain_id, name }: Chain): Promise<void> {
    const chainId = toChainId(chain_id);
    const pause = pauses.get(chain_id);
    const nowMs = clock.now().getTime();
    if (pause !== undefined && nowMs < pause.untilMs) return;
    if (await canSweep(providers.get(chainId))) {
      await prisma.chain.update({ where: { chain_id }, data: { sweeps_proven_at: clock.now() } });
      return;
    }
    const ms = pause === undefined ? PAUSE_MS.min : Math.min(2 * pause.ms, PAUSE_MS.max);
    pauses.set(chain_id, { untilMs: nowMs + ms, ms });
    if (pause === undefined) {
      log.info(
        { chainId, name },
        "the chain has no deposit addresses: no provider shows a sweep, or the factory is not deployed",
      );
    }
  }

  return {
    list,
    getTokens: (chainId) => known.get(chainId) ?? NONE,
    register: () => register(deps),
    prove: async () => {
      const [unproven, unswept, tokens] = await Promise.all([
        prisma.chain.findMany({ where: { enabled: true, proven_at: null } }),
        prisma.chain.findMany({ where: { enabled: true, sweeps_proven_at: null } }),
        prisma.token.findMany({ where: { enabled: true, checked_at: null } }),
      ]);
      await Promise.all([
        ...unproven.map(proveChain),
        ...unswept.map(proveSweeps),
        ...tokens.map(proveToken),
      ]);
      const proven = await prisma.token.findMany({ where: { checked_at: { not: null } } });
      known = new Map();
      for (const { chain_id, address, decimals } of proven) {
        const chainId = toChainId(chain_id);
        const ofChain = known.get(chainId) ?? new Map<Address, number>();
        known.set(chainId, ofChain.set(toAddress(address), decimals));
      }
    },
  };
}

async function offerToken(
  { prisma, providers, clock }: CatalogDeps,
  { chain_id, address }: Token,
): Promise<void> {
  const chainId = toChainId(chain_id);
  const place = { chainId, token: toAddress(address) };
  const domain = await readDomain(providers.get(chainId), place);
  if (domain === undefined) return;
  const { name = null, version = null } = domain ?? {};
  await prisma.token.update({
    where: { chain_id_address: { chain_id, address } },
    data: { checked_at: clock.now(), domain_name: name, domain_version: version },
  });
}

/** What the contract says, -1 where it cannot say; undefined while no provider answers. */
async function readDecimals(
  providers: Providers | undefined,
  address: Address,
): Promise<number | undefined> {
  for (const reader of (await providers?.readers()) ?? []) {
    const said = await tryRequest(reader.view(address, ERC20.encodeFunctionData("decimals")));
    if (said === undefined) continue;
    return /^0x[0-9a-f]{64}$/.test(said) ? Number(BigInt(said)) : -1;
  }
  return undefined;
}

async function register({ prisma, chains }: CatalogDeps): Promise<void> {
  const ids = chains.map(({ chainId }) => BigInt(chainId));
  await prisma.chain.updateMany({
    where: { chain_id: { notIn: ids } },
    data: { enabled: false },
  });
  for (const chain of chains) {
    await registerChain(prisma, chain);
    await registerTokens(prisma, chain);
  }
}

async function registerChain(prisma: PrismaClient, chain: ConfiguredChain): Promise<void> {
  const row = {
    name: chain.name,
    symbol: chain.symbol,
    rpc_url: chain.rpcUrl,
    block_explorer_url: chain.blockExplorerUrl,
    is_testnet: chain.isTestnet,
    native_decimals: chain.nativeDecimals,
    enabled: true,
  };
  const chain_id = BigInt(chain.chainId);
  await prisma.chain.upsert({
    where: { chain_id },
    create: { chain_id, ...row },
    update: row,
  });
}

async function registerTokens(
  prisma: PrismaClient,
  { chainId, tokens }: ConfiguredChain,
): Promise<void> {
  const chain_id = BigInt(chainId);
  const addresses = tokens.map(({ address }) => toAddress(address));
  const before = await prisma.token.findMany({ where: { chain_id } });
  const checked = new Map(before.map((token) => [token.address, token]));
  await prisma.token.updateMany({
    where: { chain_id, address: { notIn: addresses } },
    data: { enabled: false },
  });
  for (const { symbol, name, decimals, ...token } of tokens) {
    const address = toAddress(token.address);
    const known = checked.get(address);
    const row = { symbol, name, decimals, enabled: true };
    await prisma.token.upsert({
      where: { chain_id_address: { chain_id, address } },
      create: { chain_id, address, ...row },
      // Other decimals than before have to be proven anew.
      update: { ...row, ...(known?.decimals === decimals ? {} : { checked_at: null }) },
    });
  }
}
