// What chains publishes about money: the state of a payment's money, and verdicts about refunds and settlements.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { EventType, NewEvent } from "@pay/events";
import type { Observation, PaymentMoneySchema } from "@pay/proto";
import { derivedId } from "@pay/values";
import type { Money } from "./domain/money.ts";
import type { OutgoingNews } from "./judge-payouts.ts";
import type { ChangedMoney } from "./settle-payment.ts";
import type { StoredWatch } from "./storage/facts.ts";

export function toMoneyEvent({ watch, turn, money }: ChangedMoney, at: Date): NewEvent {
  const { project_id: projectId, payment_id: paymentId } = watch;
  return {
    id: derivedId("evt", projectId, paymentId, "money", turn),
    type: "money.changed",
    projectId,
    mode: watch.mode,
    resourceId: paymentId,
    sequence: turn,
    occurredAt: timestampFromDate(at),
    requestId: watch.request_id,
    resource: { case: "money", value: toMessage(watch, turn, money) },
  };
}

function toMessage(
  watch: StoredWatch,
  turn: number,
  { last, senders, hashes, arrived, screened, ...money }: Money,
): MessageInitShape<typeof PaymentMoneySchema> {
  return {
    paymentId: watch.payment_id,
    turn,
    chainId: watch.chain_id,
    recipientAddress: watch.recipient,
    currency: watch.currency,
    seenBaseAmount: `${money.seen}`,
    finalBaseAmount: `${money.final}`,
    lateBaseAmount: `${money.late}`,
    lateFinalBaseAmount: `${money.lateFinal}`,
    ...(last && {
      txHash: last.txHash,
      blockNumber: BigInt(last.blockNumber),
      blockTime: timestampFromDate(last.blockTime),
    }),
    senders: senders.map(({ address, value }) => ({ address, baseAmount: `${value}` })),
    hashes: hashes.map(({ txHash, outcome, isMined, replacedBy }) => ({
      txHash,
      isMined,
      ...(outcome && { outcome }),
      ...(replacedBy && { replacedBy }),
    })),
    ...(money.needs && { needs: money.needs }),
    arrived: arrived.map(({ value, arrivedAt, txHash, sender }) => ({
      baseAmount: `${value}`,
      at: timestampFromDate(arrivedAt),
      txHash,
      senderAddress: sender,
    })),
    screened,
    ...(money.screenedFinal > 0n && { screenedBaseAmount: `${money.screenedFinal}` }),
  };
}

const TYPES = {
  confirmed: "transfer.confirmed",
  rejected: "transfer.rejected",
  unseen: "transfer.unseen",
} as const satisfies Record<OutgoingNews["kind"], EventType>;

export function toOutgoingEvent(
  { submission, kind, epoch, outcome, place, received, sender, txHash }: OutgoingNews,
  at: Date,
): NewEvent {
  const { project_id: projectId, subject_id: subjectId, attempt } = submission;
  const turn = [subjectId, submission.tx_hash, attempt, epoch, kind];
  const reason = outcome === "counted" ? "" : (outcome ?? "reorged");
  return buildObservation(
    { ...submission, chainId: submission.chain_id, id: derivedId("evt", projectId, ...turn) },
    { type: TYPES[kind], at, attempt },
    {
      txHash,
      submittedTxHash: submission.tx_hash,
      reason,
      ...(place && {
        blockNumber: place.blockNumber,
        blockTime: timestampFromDate(place.blockTime),
      }),
      ...(received !== undefined && { receivedBaseAmount: `${received}` }),
      ...(sender && { senderAddress: sender }),
    },
  );
}

interface About {
  id: string;
  project_id: string;
  mode: number;
  subject_id: string;
  request_id: string;
  chainId: bigint;
  recipient: string;
  currency: string;
}

type Said = Partial<
  Pick<
    Observation,
    | "txHash"
    | "submittedTxHash"
    | "reason"
    | "blockNumber"
    | "blockTime"
    | "receivedBaseAmount"
    | "senderAddress"
  >
>;

/** An event about the transaction of a refund or a settlement. */
export function buildObservation(
  { id, project_id: projectId, subject_id: subjectId, ...about }: About,
  {
    type,
    at,
    attempt,
  }: { type: Extract<EventType, `transfer.${string}`>; at: Date; attempt: number },
  said: Said,
): NewEvent {
  return {
    id,
    type,
    projectId,
    mode: about.mode,
    resourceId: subjectId,
    sequence: attempt,
    occurredAt: timestampFromDate(at),
    requestId: about.request_id,
    resource: {
      case: "observation",
      value: {
        subjectId,
        chainId: about.chainId,
        recipientAddress: about.recipient,
        currency: about.currency,
        txHash: "",
        submittedTxHash: "",
        reason: "",
        ...said,
      },
    },
  };
}
