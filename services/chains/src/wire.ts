// Rows and verdicts as messages; never the other way round.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ChainSchema, EventSchema, TransferSchema } from "@pay/proto";
import { type Candidate, verdictEventId } from "./domain/candidate.ts";
import type { Finding } from "./domain/judge.ts";
import type { Chain, Token } from "./generated/prisma/client.ts";
import { checksummed } from "./rpc/decode.ts";
import type { CountedTransfer } from "./transfers.ts";

export const toChain = (
  row: Chain & { tokens: Token[] },
): MessageInitShape<typeof ChainSchema> => ({
  chainId: row.chain_id,
  name: row.name,
  symbol: row.symbol,
  rpcUrl: row.rpc_url,
  ...(row.block_explorer_url === null ? {} : { blockExplorerUrl: row.block_explorer_url }),
  isTestnet: row.is_testnet,
  nativeDecimals: row.native_decimals,
  tokens: row.tokens.map(({ symbol, name, address, decimals, chain_id }) => ({
    ...{ symbol, name, address: checksummed(address), decimals, chainId: chain_id },
  })),
});

export const toTransfer = (row: CountedTransfer): MessageInitShape<typeof TransferSchema> => ({
  subjectId: row.subject_id,
  txHash: row.tx_hash,
  ...(row.kind === "log" ? { logIndex: row.ordinal } : {}),
  fromAddress: checksummed(row.sender),
  toAddress: checksummed(row.recipient),
  baseAmount: row.value.toString(),
  blockNumber: row.block_number,
  minedAt: timestampFromDate(row.block_time),
  ...(row.confirmed_at === null ? {} : { confirmedAt: timestampFromDate(row.confirmed_at) }),
});

/** What the rest of the house learns of a verdict. */
export const toVerdictEvent = (
  candidate: Candidate,
  finding: Exclude<Finding, { outcome: "unclear" }>,
  seen: { txHash: string; blockNumber: number; blockTime: Date; at: Date },
): MessageInitShape<typeof EventSchema> => {
  const proven = finding.outcome === "proven";
  const { received, sender } = finding;
  return {
    id: verdictEventId(candidate),
    type: proven ? "transfer.confirmed" : "transfer.rejected",
    projectId: candidate.projectId,
    mode: candidate.mode,
    resourceId: candidate.subjectId,
    sequence: candidate.attempt,
    occurredAt: timestampFromDate(seen.at),
    requestId: candidate.requestId,
    resource: {
      case: "observation",
      value: {
        subjectId: candidate.subjectId,
        chainId: BigInt(candidate.chainId),
        // A hash that is refuted is named as it was submitted, whatever took its place.
        txHash: proven ? seen.txHash : candidate.txHash,
        blockNumber: BigInt(seen.blockNumber),
        blockTime: timestampFromDate(seen.blockTime),
        ...(received === undefined ? {} : { receivedBaseAmount: received.toString() }),
        ...(sender === undefined ? {} : { senderAddress: sender }),
        reason: proven ? "" : finding.reason,
      },
    },
  };
};
