// From rows to messages.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type {
  ArrivedTransferSchema,
  ChainSchema,
  MovementSchema,
  TransferSchema,
} from "@pay/proto";
import { type Address, checksumAddress } from "@pay/values";
import type { Movement } from "./books/storage/movements.ts";
import type { OfferedChain } from "./catalog/catalog.ts";
import type { FindCountedTransfersRow, FindMerchantTransferRow } from "./generated/sql.ts";
import { NATIVE } from "./providers/domain/transfer.ts";

export function toChain(
  { chain: row, cursor, policy }: OfferedChain,
  sponsor?: Address,
): MessageInitShape<typeof ChainSchema> {
  const { finality, blockTimeMs = 0, trailingData = true } = policy ?? {};
  return {
    blockTimeMs,
    refusesTrailingData: !trailingData,
    hasDepositAddresses: row.sweeps_proven_at !== null,
    ...(sponsor === undefined ? {} : { sponsorAddress: checksumAddress(sponsor) }),
    ...(cursor?.head_number == null ? {} : { headNumber: cursor.head_number }),
    ...(cursor?.final_number == null ? {} : { finalNumber: cursor.final_number }),
    ...(finality?.mode === "confirmations" ? { confirmationsNeeded: finality.confirmations } : {}),
    ...(finality?.highValueUnits === undefined
      ? {}
      : { highValueUnits: finality.highValueUnits.toString() }),
    chainId: row.chain_id,
    name: row.name,
    symbol: row.symbol,
    rpcUrl: row.rpc_url,
    ...(row.block_explorer_url === null ? {} : { blockExplorerUrl: row.block_explorer_url }),
    isTestnet: row.is_testnet,
    nativeDecimals: row.native_decimals,
    tokens: row.tokens.map(({ symbol, name, address, decimals, chain_id, ...token }) => ({
      symbol,
      name,
      address: checksumAddress(address),
      decimals,
      chainId: chain_id,
      ...(sponsor !== undefined && token.domain_name !== null && token.domain_version !== null
        ? { authorization: { name: token.domain_name, version: token.domain_version } }
        : {}),
    })),
  };
}

export function toTransfer(row: FindCountedTransfersRow): MessageInitShape<typeof TransferSchema> {
  return {
    subjectId: row.subject_id,
    txHash: row.tx_hash,
    ...(row.kind === "log" ? { logIndex: row.ordinal } : {}),
    fromAddress: checksumAddress(row.sender),
    toAddress: checksumAddress(row.recipient),
    baseAmount: row.value.toString(),
    blockNumber: row.block_number,
    minedAt: timestampFromDate(row.block_time),
    ...(row.confirmed_at === null ? {} : { confirmedAt: timestampFromDate(row.confirmed_at) }),
    ...(row.rule === null ? {} : { rule: row.rule }),
  };
}

export function toMovement(row: Movement): MessageInitShape<typeof MovementSchema> {
  return {
    subjectId: row.subject_id,
    chainId: row.chain_id,
    currency: row.currency === NATIVE ? NATIVE : checksumAddress(row.currency),
    decimals: row.decimals,
    baseAmount: row.value.toString(),
    txHash: row.tx_hash,
    ...(row.kind === "log" ? { logIndex: row.ordinal } : {}),
    fromAddress: checksumAddress(row.sender),
    toAddress: checksumAddress(row.recipient),
    blockNumber: row.block_number,
    minedAt: timestampFromDate(row.block_time),
    recordedAt: timestampFromDate(row.recorded_at),
    symbol: row.symbol,
  };
}

const CANDIDATES_MAX = 10;

export function toMerchantTransfer(
  { subject_id, reason, candidates, ...row }: FindMerchantTransferRow,
  id: string,
): MessageInitShape<typeof ArrivedTransferSchema> {
  return {
    id,
    chainId: row.chain_id,
    decimals: row.decimals,
    status: row.status,
    currency: row.currency === NATIVE ? NATIVE : checksumAddress(row.currency),
    transfer: toTransfer({ ...row, subject_id: subject_id ?? "" }),
    ...(reason === null ? {} : { reason }),
    candidates: (reason === null ? [] : (candidates ?? [])).slice(0, CANDIDATES_MAX),
  };
}
