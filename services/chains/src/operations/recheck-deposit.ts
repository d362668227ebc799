// Reads a deposit address on request: coin that a contract has passed on is in no log, and an address is watched for a
// month only.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Failure } from "@pay/failures";
import type { RecheckDepositRequest, RecheckDepositResponseSchema } from "@pay/proto";
import { parseChain, parseTenant } from "@pay/rpc";
import { type Address, type ChainId, type Currency, toAddress, ZERO_AMOUNT } from "@pay/values";
import type { Deps } from "../deps.ts";
import { recheckDeposits } from "../generated/sql.ts";
import { NATIVE } from "../providers/domain/transfer.ts";
import { tryRequest } from "../providers/rpc-error.ts";

export async function recheckDeposit(
  { pool, prisma, clock, catalog, getProviders }: Deps,
  { tenant, chainId: chain, address: text }: RecheckDepositRequest,
): Promise<MessageInitShape<typeof RecheckDepositResponseSchema>> {
  const { projectId, mode } = parseTenant(tenant);
  const chainId = parseChain(chain);
  const address = toAddress(text);
  const owned = { address, project_id: projectId, mode };
  // A stranger causes no request to a provider.
  if ((await prisma.depositAddress.count({ where: owned })) === 0) return { deposits: [] };
  const decimals = new Map<Currency, number>(catalog.getTokens(chainId));
  decimals.set(NATIVE, await readNativeDecimals(prisma, chainId));
  const currencies = [...decimals.keys()];
  const read = await readHoldings(getProviders(chainId), { address, currencies });
  const found = currencies.flatMap((currency, at) => {
    const amount = read.amounts[at] ?? ZERO_AMOUNT;
    return amount === ZERO_AMOUNT ? [] : [{ currency, amount }];
  });
  await recheckDeposits(pool, {
    projectId,
    mode,
    chainId,
    address,
    currencies: found.map(({ currency }) => currency),
    block: read.block,
    now: clock.now(),
  });
  return {
    deposits: found.map(({ currency, amount }) => {
      return { currency, baseAmount: `${amount}`, decimals: decimals.get(currency) ?? 0 };
    }),
  };
}

async function readNativeDecimals({ chain }: Deps["prisma"], chainId: ChainId): Promise<number> {
  const row = await chain.findUniqueOrThrow({ where: { chain_id: BigInt(chainId) } });
  return row.native_decimals;
}

async function readHoldings(
  providers: ReturnType<Deps["getProviders"]>,
  { address: account, currencies }: { address: Address; currencies: readonly Currency[] },
) {
  const holdings = currencies.map((currency) => ({ account, currency }));
  for (const reader of (await providers?.readers()) ?? []) {
    const head = await tryRequest(reader.block("latest"));
    if (!head) continue;
    const amounts = await tryRequest(reader.holdings(holdings, head.number));
    if (amounts !== undefined) return { amounts, block: head.number };
  }
  throw new Failure("service_unavailable", "No provider of the chain responds; retry");
}
