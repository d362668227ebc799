// What the test publishes in the place of payments and refunds, and which payments it says are open.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Bus, type EventType, type OutboxRow, outboxRow } from "@pay/events";
import {
  type FindOpenPaymentsRequest,
  type FindOpenPaymentsResponseSchema,
  Mode,
  type PaymentSnapshotSchema,
  type RefundSnapshotSchema,
} from "@pay/proto";
import type { TestChain } from "@pay/testing";
import { newId } from "@pay/values";

export const SHOP = "0x1111111111111111111111111111111111111111";
export const PROJECT = "proj_AAAAAAAAAAAAAAAAAAAAAAAA";
const MINUTE_MS = 60_000;

/** Whose payment or refund it is; the one project's, in test mode, where nothing is said. */
interface Owner {
  projectId?: string;
  mode?: Mode;
}

export type SubmittedRefund = MessageInitShape<typeof RefundSnapshotSchema> &
  Owner & { type?: Extract<EventType, `refund.${string}`> };

export type Opened = Omit<MessageInitShape<typeof PaymentSnapshotSchema>, "$typeName"> &
  Owner & {
    type?: Extract<EventType, `payment.${string}`>;
    createdAt?: never;
    expiresAt?: never;
    created?: Date;
    expires?: Date;
    cancelled?: Date;
  };

const OPEN = new Set(["created", "pending", "processing", "failed"]);

export type OpenPayments = NonNullable<
  MessageInitShape<typeof FindOpenPaymentsResponseSchema>["payments"]
>;
export type AskedWallet = FindOpenPaymentsRequest["wallets"][number];
type Snapshot = Omit<MessageInitShape<typeof PaymentSnapshotSchema>, "$typeName">;

interface Publisher {
  store(payment: Opened): Snapshot & { id: string };
  publish(payment: Opened & { type: EventType }): Promise<string>;
  /** All in one moment. */
  publishAll(payments: readonly (Opened & { type: EventType })[]): Promise<void>;
  listOpen(wallets: readonly AskedWallet[]): OpenPayments;
}

/** Payments by their id. Another state of one says only what is other, and has the next version. */
export function createPublisher(bus: Pick<Bus, "publish">, chain: TestChain): Publisher {
  const published = new Map<string, { given: Opened; snapshot: Snapshot }>();
  function store(given: Opened) {
    const { id = newId("pay") } = given;
    const before = published.get(id)?.given;
    const hashes = [...(before?.hashes ?? []), ...(given.hashes ?? [])];
    const merged: Opened = {
      // A moment ago, so that a transfer that a test has just sent is in its time.
      created: new Date(Date.now() - 10_000),
      ...before,
      version: (before?.version ?? 0) + 1,
      ...given,
      id,
      hashes: [...new Map(hashes.map((one) => [one.txHash, one])).values()],
    };
    const snapshot = toSnapshot(chain, merged);
    published.set(id, { given: merged, snapshot });
    return { ...snapshot, id };
  }

  return {
    store,
    publish: async ({ type, ...given }) => {
      const snapshot = store(given);
      await bus.publish([toRow(type, snapshot)]);
      return snapshot.id;
    },
    publishAll: (payments) =>
      bus.publish(payments.map(({ type, ...given }) => toRow(type, store(given)))),
    listOpen: (wallets) =>
      [...published.values()]
        .map(({ snapshot }) => snapshot)
        .filter(
          ({ status = "created", recipientAddress = "", projectId, mode }) =>
            OPEN.has(status) &&
            wallets.some(
              (asked) =>
                asked.recipientAddress === recipientAddress.toLowerCase() &&
                asked.projectId === projectId &&
                asked.mode === mode,
            ),
        )
        .map(({ variant: _, ...payment }) => payment) as OpenPayments,
  };
}

function toSnapshot(
  chain: TestChain,
  { type: _, created = new Date(), expires, cancelled, id = "", ...payment }: Opened,
): Snapshot {
  const { projectId = PROJECT, mode = Mode.TEST, version = 1 } = payment;
  return {
    status: "created",
    chainId: BigInt(chain.chainId),
    currency: "native",
    recipientAddress: SHOP,
    baseAmount: "1000000",
    createdAt: timestampFromDate(created),
    ...payment,
    id,
    projectId,
    mode,
    version,
    expiresAt: timestampFromDate(expires ?? new Date(created.getTime() + 30 * MINUTE_MS)),
    ...(cancelled && { cancelledAt: timestampFromDate(cancelled) }),
  };
}

export function toRow(type: EventType, snapshot: Snapshot): OutboxRow {
  const { projectId = PROJECT, mode = Mode.TEST, id = "", version = 1 } = snapshot;
  return outboxRow({
    type,
    projectId,
    mode,
    resourceId: id,
    sequence: version,
    requestId: "request-1",
    resource: { case: "payment", value: { ...snapshot, projectId, mode } },
  });
}

export async function submitRefund(
  bus: Bus,
  chain: TestChain,
  refund: SubmittedRefund,
): Promise<string> {
  const { id = newId("refund"), projectId = PROJECT, mode = Mode.TEST } = refund;
  const { type = "refund.submitted", ...snapshot } = refund;
  await bus.publish([
    outboxRow({
      type,
      projectId,
      mode,
      resourceId: id,
      requestId: "request-2",
      resource: {
        case: "refund",
        value: {
          version: 2,
          chainId: BigInt(chain.chainId),
          currency: "native",
          createdAt: timestampFromDate(new Date()),
          ...snapshot,
          id,
        },
      },
    }),
  ]);
  return id;
}

export async function listPayoutWallets(bus: Bus, addresses: readonly string[]): Promise<void> {
  const value = { id: PROJECT, payoutWallets: [...addresses] };
  await bus.publish([
    outboxRow({
      type: "project.updated",
      projectId: PROJECT,
      mode: Mode.LIVE,
      resourceId: PROJECT,
      requestId: "request-3",
      resource: { case: "project", value },
    }),
  ]);
}

export interface Screened {
  oracle?: string;
  list?: string[];
  url?: string;
  onFail?: "allow" | "review";
}

let versions = 0;

/** What a project screens wallets by; undefined for nothing. */
export async function publishScreening(
  bus: Bus,
  screening: Screened | undefined,
  projectId = PROJECT,
): Promise<number> {
  const version = ++versions;
  const { onFail = "review", list = [], ...source } = screening ?? {};
  const value = {
    id: projectId,
    version,
    ...(screening && { screening: { ...source, list, onFail } }),
  };
  await bus.publish([
    outboxRow({
      type: "project.updated",
      projectId,
      mode: Mode.LIVE,
      resourceId: projectId,
      requestId: "request-4",
      resource: { case: "project", value },
    }),
  ]);
  return version;
}
