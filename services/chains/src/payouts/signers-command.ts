// The operator's command for the wallets that the service signs for: lists them, and unfreezes one. Its next nonce is
// then read from the chain.
import type { Database } from "@pay/database";
import { CommandFault } from "@pay/process";
import { isAddress, parseChainId, toAddress } from "@pay/values";
import { PrismaClient, type Signer } from "../generated/prisma/client.ts";
import type { Wallet } from "./storage/intents.ts";
import { listSigners, unfreezeSigner } from "./storage/signers.ts";

const USAGE = "usage: npm run signers -- list | unfreeze CHAIN/ADDRESS";
const NAME = /^([^/]+)\/(.+)$/;

/** Undefined: all wallets are listed. */
export function readSignersCommand(args: readonly string[]): Wallet | undefined {
  const [action, name, ...more] = args;
  if (action === "list" && name === undefined) return undefined;
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
  wallet: Wallet | undefined,
): Promise<string[]> {
  const prisma = new PrismaClient({ adapter });
  if (wallet === undefined) {
    const rows = await listSigners(prisma);
    return rows.length === 0 ? ["the service has signed for no wallet"] : rows.map(toLine);
  }
  const name = `${wallet.chainId}/${wallet.address}`;
  const before = await unfreezeSigner(prisma, wallet);
  if (before === undefined) throw new CommandFault(`${name} is not frozen`);
  return [`${name} signs again; it was ${frozen(before)}`];
}

function toLine(row: Signer): string {
  return `${row.chain_id}/${row.address} ${row.frozen_at === null ? "signs" : frozen(row)}`;
}

function frozen({ frozen_at, frozen_reason }: Signer): string {
  return `frozen since ${frozen_at?.toISOString()}: ${frozen_reason}`;
}
