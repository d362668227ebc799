// What a webhook server has to offer to be measured. A file that exports startTarget puts any other server under the
// same load: npm run bench -- webhooks --target path/of/the/file.ts
import type { Postgres } from "@pay/embedded";
import type { Usage } from "./child.ts";
import type { Undo } from "./with-undo.ts";

/** An event for all endpoints of its project. */
export interface WebhookEvent {
  id: string;
  projectId: string;
  paymentId: string;
}

/** Milliseconds since 1970. */
export interface Stages {
  /** The statement that stores the event began. */
  takenAt: number;
  /** The first attempt began. */
  startedAt: number;
}

export interface WebhookTarget {
  createEndpoints(endpoints: readonly { projectId: string; url: string }[]): Promise<void>;
  /** Ends when the server has accepted them. */
  publish(events: readonly WebhookEvent[]): Promise<void>;
  /** Of the processes that send, without the publisher. */
  usage(): Promise<Usage>;
  /** When events reached its stages; absent where the server does not say. */
  stages?(eventIds: readonly string[]): Promise<Map<string, Stages>>;
  /** Stores finished deliveries and has the tables analysed; absent where the server keeps none. */
  fillHistory?(rows: number): Promise<void>;
}

export interface TargetOptions {
  /** What to trust when the receivers are called, PEM. */
  ca: string;
  /** Empty, and removed afterwards. */
  folder: string;
  postgres: Postgres;
  /** What has to end after the measurement; the last first. */
  undo: Undo;
}

export type StartTarget = (options: TargetOptions) => Promise<WebhookTarget>;

/** Lowercase: the header that tells a receiver the event's id, where it is not that of the product. */
export interface TargetModule {
  startTarget: StartTarget;
  idHeader?: string;
}

/** The body as a merchant reads it, for servers that are given the body itself. */
export function readBody({ paymentId }: WebhookEvent): string {
  return JSON.stringify({
    id: paymentId,
    status: "confirmed",
    amount: "100500000",
    currency: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    chainId: 137,
    txHash: `0x${"ab".repeat(32)}`,
    blockNumber: 1_000_000,
    orderId: "order-4711",
  });
}
