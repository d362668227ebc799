// The operator's command for the wallets that the service signs for: lists them, and unfreezes one, whose next nonce is
// then read from the chain. It also says on which chains deposit addresses work, and what deploys their factory.
import type { Database } from "@pay/database";
import { CommandFault } from "@pay/process";
import {
  checksumAddress,
  DEPOSIT_FACTORY,
  DEPOSIT_FACTORY_INPUT,
  DETERMINISTIC_DEPLOYER,
  isAddress,
  parseChainId,
  toAddress,
} from "@pay/values";
import { PrismaClient, type Signer } from "../generated/prisma/client.ts";
import type { Wallet } from "./storage/intents.ts";
import { listSigners, unfreezeSigner } from "./storage/signers.ts";

const USAGE = "usage: npm run signers -- list | unfreeze CHAIN/ADDRESS | factory";
const NAME = /^([^/]+)\/(.+)$/;

/** A wallet is unfrozen. */
export function readSignersCommand(args: readonly string[]): Wallet | "list" | "factory" {
  const [action, name, ...more] = args;
  if ((action === "list" || action === "factory") && name === undefined) return action;
  if (action !== "unfreeze" || name === undefined || more.length > 0) throw new CommandFault(USAGE);
  const [, chain = "", address = ""] = NAME.exec(name) ?? [];
  const chainId = parseChainId(chain);
  if (chainId === undefined || !isAddress(address)) {
    throw new CommandFault(`a wallet is named by its chain and address, e.g. 1/0x52...; ${USAGE}`);
  }
  return { chainId, address: toAddress(address) };
}

export async function runSigners(
  { adapter }: Pick<Database, "adapter">,
  wallet: ReturnType<typeof readSignersCommand>,
): Promise<string[]> {
  const prisma = new PrismaClient({ adapter });
  if (wallet === "factory") return describeFactory(prisma);
  if (wallet === "list") {
    const rows = await listSigners(prisma);
    return rows.length === 0 ? ["the service has signed for no wallet"] : rows.map(toLine);
  }
  const name = `${wallet.chainId}/${wallet.address}`;
  const before = await unfreezeSigner(prisma, wallet);
  if (before === undefined) throw new CommandFault(`${name} is not frozen`);
  return [`${name} signs again; it was ${frozen(before)}`];
}

async function describeFactory(prisma: PrismaClient): Promise<string[]> {
  const chains = await prisma.chain.findMany({
    where: { enabled: true },
    orderBy: { chain_id: "asc" },
  });
  return [
    `the factory of deposit addresses is ${checksumAddress(DEPOSIT_FACTORY)} on every chain`,
    ...chains.map(
      ({ chain_id, name, sweeps_proven_at }) =>
        `${chain_id} ${name}: ${sweeps_proven_at === null ? "no deposit addresses: the factory is missing, or no provider has eth_simulateV1" : "works"}`,
    ),
    "where it is missing, any wallet deploys it with this transaction; chains finds it within seconds",
    `to ${checksumAddress(DETERMINISTIC_DEPLOYER)}`,
    `data ${DEPOSIT_FACTORY_INPUT}`,
  ];
}

function toLine(row: Signer): string {
  return `${row.chain_id}/${row.address} ${row.frozen_at === null ? "signs" : frozen(row)}`;
}

function frozen({ frozen_at, frozen_reason }: Signer): string {
  return `frozen since ${frozen_at?.toISOString()}: ${frozen_reason}`;
}
