// The one table of failures: a code per cause, and what the cause means to gRPC, to HTTP and to a retry. Codes are
// public in `X-Error-Code`: one may be added, none may change its meaning.

/** The numbers that gRPC defines; this package imports no library. */
const GRPC = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

interface Row {
  /** The class of the cause. */
  kind: string;
  grpc: number;
  http: number;
  /** The same request may succeed a second later, so its refusal is never kept as an answer. */
  retryable: boolean;
}

function final<K extends string>(kind: K, grpc: number, http: number) {
  return { kind, grpc, http, retryable: false } satisfies Row;
}

function passing<K extends string>(kind: K, grpc: number, http: number) {
  return { kind, grpc, http, retryable: true } satisfies Row;
}

const INVALID = final("invalid_argument", GRPC.INVALID_ARGUMENT, 400);
const UNAUTHENTICATED = final("unauthenticated", GRPC.UNAUTHENTICATED, 401);
const FORBIDDEN = final("permission_denied", GRPC.PERMISSION_DENIED, 403);
const UNPAID = final("payment_required", GRPC.FAILED_PRECONDITION, 402);
const ABSENT = final("not_found", GRPC.NOT_FOUND, 404);
const CONFLICT = final("failed_precondition", GRPC.FAILED_PRECONDITION, 409);
const UNSUPPORTED = final("unsupported_media_type", GRPC.INVALID_ARGUMENT, 415);
const UNAVAILABLE = passing("unavailable", GRPC.UNAVAILABLE, 503);

/** The first row of a kind is its generic one: it stands for a code of a newer release. */
export const FAILURES = {
  invalid_argument: INVALID,
  field_invalid: INVALID,
  body_malformed: INVALID,
  query_malformed: INVALID,
  path_malformed: INVALID,
  http_malformed: INVALID,
  host_invalid: INVALID,
  version_unknown: INVALID,
  variant_unknown: INVALID,
  idempotency_key_invalid: INVALID,
  page_invalid: INVALID,
  cursor_unknown: INVALID,
  call_malformed: INVALID,
  chain_unsupported: INVALID,
  customer_unknown: INVALID,
  payer_signature_invalid: INVALID,
  authorization_invalid: INVALID,
  authorization_unsupported: INVALID,
  refund_amount_too_large: INVALID,
  refund_destination_required: INVALID,
  refund_destination_invalid: INVALID,
  settlement_amount_too_large: INVALID,
  settlement_destination_unknown: INVALID,
  credentials_ambiguous: INVALID,

  unauthenticated: UNAUTHENTICATED,
  api_key_invalid: UNAUTHENTICATED,
  api_key_expired: UNAUTHENTICATED,
  session_invalid: UNAUTHENTICATED,
  sso_token_invalid: UNAUTHENTICATED,
  sign_in_invalid: UNAUTHENTICATED,
  confirmation_required: UNAUTHENTICATED,
  caller_unknown: UNAUTHENTICATED,

  payment_required: UNPAID,

  permission_denied: FORBIDDEN,
  https_required: FORBIDDEN,
  scope_missing: FORBIDDEN,
  unrestricted_live_key_required: FORBIDDEN,
  live_key_required: FORBIDDEN,
  origin_not_allowed: FORBIDDEN,
  address_not_allowed: FORBIDDEN,
  session_forbidden: FORBIDDEN,
  client_secret_invalid: FORBIDDEN,
  handoff_invalid: FORBIDDEN,
  payer_screened: FORBIDDEN,
  settlement_own_request: FORBIDDEN,
  settlement_own_destination: FORBIDDEN,
  refund_destination_forbidden: FORBIDDEN,
  refund_limit_exceeded: FORBIDDEN,
  csrf_token_invalid: FORBIDDEN,
  link_invalid: FORBIDDEN,
  passkey_invalid: FORBIDDEN,
  passkey_required: FORBIDDEN,
  recovery_code_invalid: FORBIDDEN,
  caller_not_allowed: FORBIDDEN,

  not_found: ABSENT,
  route_not_found: ABSENT,
  payment_not_found: ABSENT,
  customer_not_found: ABSENT,
  refund_not_found: ABSENT,
  settlement_not_found: ABSENT,
  settlement_destination_not_found: ABSENT,
  endpoint_not_found: ABSENT,
  delivery_not_found: ABSENT,
  chain_not_found: ABSENT,
  transfer_not_found: ABSENT,
  project_not_found: ABSENT,
  api_key_not_found: ABSENT,
  member_not_found: ABSENT,
  need_not_found: ABSENT,
  idempotent_answer_not_found: ABSENT,

  method_not_allowed: final("method_not_allowed", GRPC.UNIMPLEMENTED, 405),
  request_timeout: passing("request_timeout", GRPC.CANCELLED, 408),

  failed_precondition: CONFLICT,
  payment_expired: CONFLICT,
  payment_confirmed: CONFLICT,
  payment_status_invalid: CONFLICT,
  payment_attempts_exhausted: CONFLICT,
  payment_extensions_exhausted: CONFLICT,
  late_transfer_missing: CONFLICT,
  late_transfer_accepted: CONFLICT,
  payer_fixed: CONFLICT,
  deposit_address_missing: CONFLICT,
  authorization_pending: CONFLICT,
  authorization_spent: CONFLICT,
  tx_hash_used: CONFLICT,
  transfer_mismatch: CONFLICT,
  payment_not_refundable: CONFLICT,
  payment_fully_refunded: CONFLICT,
  refund_amount_required: CONFLICT,
  refund_currency_unsupported: CONFLICT,
  refund_count_exhausted: CONFLICT,
  refund_status_invalid: CONFLICT,
  refund_transactions_exhausted: CONFLICT,
  refund_service_signed: CONFLICT,
  refund_transaction_pending: CONFLICT,
  settlement_status_invalid: CONFLICT,
  settlement_nothing_left: CONFLICT,
  settlement_uncovered: CONFLICT,
  settlement_transactions_exhausted: CONFLICT,
  settlement_service_signed: CONFLICT,
  settlement_destination_pending: CONFLICT,
  settlement_destination_exists: CONFLICT,
  settlement_destinations_exhausted: CONFLICT,
  statement_day_open: CONFLICT,
  customer_erased: CONFLICT,
  api_key_already_rolled: CONFLICT,
  api_key_last: CONFLICT,
  passkey_last: CONFLICT,
  member_exists: CONFLICT,
  member_last_owner: CONFLICT,
  members_exhausted: CONFLICT,
  role_in_use: CONFLICT,
  endpoint_default: CONFLICT,
  endpoint_count_exhausted: CONFLICT,
  endpoint_disabled: CONFLICT,
  secret_not_rotating: CONFLICT,
  delivery_pending: CONFLICT,
  sso_not_configured: CONFLICT,
  idempotency_in_progress: passing("already_exists", GRPC.ALREADY_EXISTS, 409),

  payload_too_large: final("payload_too_large", GRPC.OUT_OF_RANGE, 413),
  content_type_unsupported: UNSUPPORTED,
  content_encoding_unsupported: UNSUPPORTED,
  idempotency_key_reused: final("unprocessable", GRPC.INVALID_ARGUMENT, 422),
  rate_limited: passing("resource_exhausted", GRPC.RESOURCE_EXHAUSTED, 429),
  headers_too_large: final("headers_too_large", GRPC.OUT_OF_RANGE, 431),

  internal: passing("internal", GRPC.INTERNAL, 500),
  service_unavailable: UNAVAILABLE,
  service_overloaded: UNAVAILABLE,
  state_contended: UNAVAILABLE,
  sponsor_exhausted: UNAVAILABLE,
  client_secret_unavailable: UNAVAILABLE,
  sso_issuer_unavailable: UNAVAILABLE,
  endpoint_unavailable: UNAVAILABLE,
  deadline_exceeded: passing("deadline_exceeded", GRPC.DEADLINE_EXCEEDED, 504),
} as const satisfies Record<string, Row>;

export type FailureCode = keyof typeof FAILURES;
/** The class of a cause. Rows of one kind share their statuses. */
export type FailureKind = (typeof FAILURES)[FailureCode]["kind"];

export function isFailureCode(text: unknown): text is FailureCode {
  return typeof text === "string" && Object.hasOwn(FAILURES, text);
}

/** The generic code of a kind. */
export function findGenericCode(kind: unknown): FailureCode | undefined {
  const found = Object.entries<Row>(FAILURES).find(([, row]) => row.kind === kind);
  return found?.[0] as FailureCode | undefined;
}
