// A transfer is the unit that pays: one movement of one currency inside one transaction. Its identity is the
// transaction, its kind and its ordinal inside the transaction, because the place of a log inside its block
// changes when a transaction is mined again after a reorganisation.
import { createHash } from "node:crypto";
import {
  type Address,
  type Amount,
  addressIn,
  type Currency,
  type PaymentReference,
  type TxHash,
  toAmount,
  toAuthorizedReference,
} from "@pay/values";

/** log: an ERC-20 event. native: the transaction's own value. trace: native coin moved by a contract. */
export type TransferKind = "log" | "native" | "trace";

export interface Transfer {
  txHash: TxHash;
  kind: TransferKind;
  ordinal: number;
  currency: Currency;
  sender: Address;
  recipient: Address;
  value: Amount;
  /** The payment that its payer may have named by the nonce of an authorization. */
  authorized?: PaymentReference | undefined;
}

export const NATIVE = "native" as const;

export function getKey({ txHash, kind, ordinal }: Transfer): string {
  return `${txHash}:${kind}:${ordinal}`;
}

interface Log {
  address: Address;
  topics: readonly string[];
  data: string;
}

interface Frame {
  type: string;
  from: Address;
  to: Address | undefined;
  value: Amount;
  failed: boolean;
  calls: readonly Frame[];
}

/** keccak256("Transfer(address,address,uint256)") */
export const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** keccak256("AuthorizationUsed(address,bytes32)") */
export const AUTHORIZATION_TOPIC =
  "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";

const WORD = /^0x[0-9a-f]{64}$/;

/**
 * The ERC-20 transfers among the logs of a receipt. An ERC-721 event has the same signature but four topics, and
 * any contract can log anything, so the form is exact and only listed tokens count. Zero values are noise
 * that any account can cause in another's name.
 */
export function tokenTransfers(
  txHash: TxHash,
  logs: readonly Log[],
  listed: ReadonlySet<Address>,
): Transfer[] {
  return logs.flatMap(({ address, topics, data }, ordinal) => {
    const [signature, from = "", to = "", ...more] = topics;
    if (signature !== TRANSFER_TOPIC || more.length > 0 || !listed.has(address)) return [];
    const [sender, recipient] = [addressIn(from), addressIn(to)];
    if (sender === undefined || recipient === undefined || !WORD.test(data)) return [];
    const value = toAmount(BigInt(data));
    if (value === 0n) return [];
    const authorized = findAuthorized(logs, ordinal);
    const kind = "log" as const;
    return { txHash, kind, ordinal, currency: address, value, sender, recipient, authorized };
  });
}

/** Tokens log the use of an authorization (EIP-3009) right before the transfer that it is for. */
function findAuthorized(logs: readonly Log[], ordinal: number): PaymentReference | undefined {
  const [transfer, used] = [logs[ordinal], logs[ordinal - 1]];
  if (used?.topics[0] !== AUTHORIZATION_TOPIC || used.address !== transfer?.address)
    return undefined;
  const [, authorizer, nonce] = used.topics;
  if (authorizer !== transfer.topics[1] || nonce === undefined || !WORD.test(nonce))
    return undefined;
  return toAuthorizedReference(nonce);
}

/** What the transaction itself carries. */
export function nativeTransfer(
  txHash: TxHash,
  { from, to, value }: { from: Address; to: Address | null; value: Amount },
): Transfer[] {
  return to === null || value === 0n
    ? []
    : [
        {
          txHash,
          kind: "native" as const,
          ordinal: 0,
          currency: NATIVE,
          sender: from,
          recipient: to,
          value,
        },
      ];
}

// A delegated call reports its caller's value without moving any; a static call cannot carry one.
const MOVING = new Set(["CALL", "CREATE", "CREATE2", "SELFDESTRUCT"]);

/**
 * Native coin that contracts moved inside the transaction, without failed calls. Nodes differ in the calls that they
 * show, so an ordinal is derived from the movement and not from its position.
 */
export function innerTransfers(txHash: TxHash, root: Frame): Transfer[] {
  const found: Transfer[] = [];
  const ordinals = new Set<number>();
  function visit({ type, from, to, value, failed, calls }: Frame) {
    if (failed) return;
    if (MOVING.has(type) && to !== undefined && value > 0n) {
      found.push({
        txHash,
        kind: "trace",
        ordinal: nextOrdinal(`${from} ${to} ${value}`, ordinals),
        currency: NATIVE,
        sender: from,
        recipient: to,
        value,
      });
    }
    for (const call of calls) visit(call);
  }

  if (!root.failed) for (const call of root.calls) visit(call);
  return found;
}

/** The first that is free: of two equal movements the second has another one. */
function nextOrdinal(movement: string, used: Set<number>): number {
  for (let nth = 0; ; nth++) {
    const digest = createHash("sha256").update(`${movement} ${nth}`).digest();
    const ordinal = digest.readUInt32BE() >>> 1;
    if (used.has(ordinal)) continue;
    used.add(ordinal);
    return ordinal;
  }
}
