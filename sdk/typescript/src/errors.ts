// The one error of the client: a refusal of the service, or no answer from it.

export interface FieldFault {
  name: string;
  message: string;
}

interface Details {
  status: number;
  code: string;
  requestId?: string | undefined;
  replayed?: boolean;
  retryAfter?: string | undefined;
  cause?: unknown;
}

export class PayError extends Error {
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** The cause, e.g. `payment_expired`; `no_answer` and `timeout` where there was no answer. */
  readonly code: string;
  /** The fields that break a rule, each with the rule. */
  readonly fields: readonly FieldFault[];
  /** Names the request in the service's log. */
  readonly requestId: string | undefined;
  /** Whether it is the refusal of an earlier request under the same idempotency key. */
  readonly replayed: boolean;
  /** The Retry-After header. */
  readonly retryAfter: string | undefined;

  constructor(message: string, details: Details) {
    const { status, code, requestId, replayed = false, retryAfter, cause } = details;
    super(message, cause === undefined ? undefined : { cause });
    this.name = "PayError";
    this.status = status;
    this.code = code;
    this.fields = code === "field_invalid" ? fieldsIn(message) : [];
    this.requestId = requestId;
    this.replayed = replayed;
    this.retryAfter = retryAfter;
  }
}

/** Faults of several fields are one sentence each, and each begins with the name of its field. */
function fieldsIn(message: string): FieldFault[] {
  return message.split("; ").map((sentence) => {
    const at = sentence.indexOf(" ");
    return { name: sentence.slice(0, at), message: sentence.slice(at + 1) };
  });
}

/** The refusal in an answer. What stands in front of the service may answer with something else than JSON. */
export async function refusalIn(response: Response): Promise<PayError> {
  const { status, headers } = response;
  const body = await response.json().catch(() => undefined);
  const message = (body as { message?: unknown } | undefined)?.message;
  const said = typeof message === "string" ? message : `the service answered with status ${status}`;
  return new PayError(said, {
    status,
    code: headers.get("X-Error-Code") ?? `http_${status}`,
    requestId: headers.get("X-Request-Id") ?? undefined,
    replayed: headers.get("Idempotent-Replayed") === "true",
    retryAfter: headers.get("Retry-After") ?? undefined,
  });
}
