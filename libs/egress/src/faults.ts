/** Why a request got no answer. Every class is one row of the delivery log, so each has one meaning. */
export type FaultClass =
  | "refused_url" // our policy does not allow the URL
  | "refused_address" // the name leads to an address our policy does not allow
  | "dns" // the name has no address
  | "dns_timeout" // the resolvers did not answer in time
  | "connection_refused"
  | "connection_reset"
  | "unreachable"
  | "tls_expired"
  | "tls_untrusted"
  | "tls_hostname"
  | "tls_protocol"
  | "bad_response" // what came back is not HTTP, or more of it than we read
  | "proxy" // the operator's proxy did not answer, or wants other credentials
  | "timeout"
  | "unknown";

/**
 * The fault as a merchant reads it. A name with a private address looks like a name without any, or the difference
 * would tell which internal names exist.
 */
export function toPublicFault(fault: string): string {
  return fault === "refused_address" ? "dns" : fault;
}

/** A refusal by our policy. Its class is where a system error has its code. */
export class EgressFault extends Error {
  readonly fault: FaultClass;
  constructor(fault: FaultClass) {
    super(fault);
    this.fault = fault;
  }
}

const BY_CODE: Record<string, FaultClass> = {
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_reset",
  EPIPE: "connection_reset",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  EACCES: "unreachable",
  ETIMEDOUT: "timeout",
  CERT_HAS_EXPIRED: "tls_expired",
  CERT_NOT_YET_VALID: "tls_expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls_untrusted",
  SELF_SIGNED_CERT_IN_CHAIN: "tls_untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls_untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "tls_untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls_untrusted",
  CERT_UNTRUSTED: "tls_untrusted",
  CERT_SIGNATURE_FAILURE: "tls_untrusted",
  CERT_REVOKED: "tls_untrusted",
  INVALID_CA: "tls_untrusted",
  INVALID_PURPOSE: "tls_untrusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls_hostname",
  EPROTO: "tls_protocol",
};

export function classifyFault(error: unknown): FaultClass {
  if (error instanceof EgressFault) return error.fault;
  // Several addresses failed; the first one is what the name stands for, the others are its substitutes.
  if (error instanceof AggregateError) return classifyFault(error.errors[0]);
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code !== "string") return "unknown";
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) {
    return BY_CODE[code] ?? "tls_protocol";
  }
  return BY_CODE[code] ?? "unknown";
}
