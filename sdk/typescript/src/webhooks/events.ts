// What a verified webhook says. Amounts are decimal strings of base units: no JavaScript number holds them.
export interface PaymentData {
  id: string;
  status: string;
  txHash: string | null;
  blockNumber: number | null;
  amount: string;
  currency: string;
  orderId: string | null;
  chainId: number;
  /** These four only where `include` of the endpoint names them. */
  receivedAmount?: string | null;
  refundedAmount?: string | null;
  failureCode?: string | null;
  metadata?: unknown;
}

export interface RefundData {
  id: string;
  paymentId: string;
  status: string;
  amount: string;
  currency: string;
  chainId: number;
  txHash: string | null;
  reason: string | null;
  failureReason: string | null;
  orderId: string | null;
  destinationSource: "payer" | "address_book" | "named" | null;
}

export interface SettlementData {
  id: string;
  status: string;
  amount: string;
  currency: string;
  chainId: number;
  destinationAddress: string;
  txHash: string | null;
  blockNumber: number | null;
  failureReason: string | null;
}

export interface CustomerData {
  id: string;
  walletAddress: string;
  displayName: string | null;
  metadata: unknown;
  createdAt: string | null;
  updatedAt: string | null;
}

/** A transfer to one of your addresses that pays nothing. */
export interface TransferData {
  id: string;
  amount: string;
  currency: string;
  chainId: number;
  txHash: string;
  logIndex: number | null;
  from: string;
  to: string;
  blockNumber: number;
  minedAt: string | null;
  state: string;
  reason: string;
  /** Payments that it may be meant for. */
  candidates: string[];
}

export interface ProjectData {
  id: string;
  name: string;
  changedFields: string[];
  /** Id of a key or of a member; null for the operator. */
  changedBy: string | null;
}

/** Without the key itself. */
export interface ApiKeyData {
  id: string;
  type: "secret" | "publishable";
  mode: "live" | "test";
  /** Empty for an unrestricted key. */
  scopes: string[];
  name: string | null;
  prefix: string;
  last4: string;
  createdBy: string;
  createdAt: string | null;
  expiresAt: string | null;
  allowedAddresses: string[];
  revokedAt: string | null;
}

interface PingData {
  id: string;
  type: "ping";
  endpointId: string;
  createdAt: string;
}

interface Envelope<Type extends string, Data> {
  type: Type;
  mode: "live" | "test";
  /** What to deduplicate by; absent with scheme sha256. */
  eventId: string | undefined;
  /** When the event happened; only with scheme standard. */
  timestamp: string | undefined;
  /** Counts the changes of the resource; absent with scheme sha256. */
  sequence: number | undefined;
  /** 1 to 4; absent with scheme sha256. */
  attempt: number | undefined;
  data: Data;
}

/** By `type` the compiler knows `data`. */
export type WebhookEvent =
  | Envelope<`payment.${string}`, PaymentData>
  | Envelope<`refund.${string}`, RefundData>
  | Envelope<`settlement.${string}`, SettlementData>
  | Envelope<`customer.${string}`, CustomerData>
  | Envelope<"project.updated", ProjectData>
  | Envelope<`api_key.${string}`, ApiKeyData>
  | Envelope<"transfer.unmatched", TransferData>
  | Envelope<"ping", PingData>;
