// The seams of tracing. While tracing is off, nothing of OpenTelemetry is loaded and a seam costs one comparison.
// A request id takes its trace along in messages, tables and records: after the id a space and the traceparent
// (W3C Trace Context) of the span to continue. A trace therefore survives whatever a request id survives.
import type { Attributes } from "@opentelemetry/api";

export interface SpanPlan {
  name: string;
  kind: "client" | "server" | "producer" | "consumer";
  attributes?: Attributes;
}

/** The span of a request of the REST API. */
export interface RequestSpan {
  traceparent: string;
  /** What it starts belongs to the span. */
  run<R>(work: () => R): R;
  end(outcome: { name: string; statusCode: number; attributes: Attributes }): void;
}

export interface Tracer {
  /** Undefined for a request that is not sampled. */
  startRequest(traceparent: string | undefined): RequestSpan | undefined;
  /** The span whose work runs now. */
  getActive(): string | undefined;
  traceStep<R>(plan: () => SpanPlan, work: () => Promise<R>): Promise<R>;
  traceAll<R>(
    plan: ListPlan<R>,
    requestIds: readonly string[],
    work: (requestIds: readonly string[]) => Promise<R>,
  ): Promise<R>;
}

export interface ListPlan<R> extends SpanPlan {
  /** Of one request of the list. */
  describe?: (at: number) => Attributes;
  /** One with `error.type` has failed. */
  describeResult?: (result: R) => Attributes;
}

let tracer: Tracer | undefined;

export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function isTraceparent(text: string | undefined): text is string {
  return text !== undefined && TRACEPARENT.test(text);
}

/** A request id with a trace; one that has a trace keeps it. */
export function withTrace(requestId: string, traceparent: string | undefined): string {
  if (!isTraceparent(traceparent) || requestId.includes(" ")) return requestId;
  return `${requestId} ${traceparent}`;
}

/** With the trace of the work that runs now. */
export function withActiveTrace(requestId: string): string {
  return tracer === undefined ? requestId : withTrace(requestId, tracer.getActive());
}

export interface TracedId {
  requestId: string;
  traceparent?: string;
}

export function splitTrace(traced: string): TracedId {
  const at = traced.indexOf(" ");
  if (at === -1) return { requestId: traced };
  return { requestId: traced.slice(0, at), traceparent: traced.slice(at + 1) };
}

/** Log fields with a traced request id as two of them. */
export function splitLogged(fields: Record<string, unknown>): Record<string, unknown> {
  if (typeof fields.requestId !== "string" || !fields.requestId.includes(" ")) return fields;
  const { requestId, traceparent } = splitTrace(fields.requestId);
  return { ...fields, requestId: requestId || undefined, traceId: traceparent?.split("-")[1] };
}

export function startRequest(traceparent: string | string[] | undefined): RequestSpan | undefined {
  return tracer?.startRequest(typeof traceparent === "string" ? traceparent : undefined);
}

/** A span below the one whose work runs now; none where there is none. */
export function traceStep<R>(plan: () => SpanPlan, work: () => Promise<R>): Promise<R> {
  return tracer === undefined ? work() : tracer.traceStep(plan, work);
}

/**
 * Work for several requests: a span in the trace of each. What the work starts belongs to the first of these spans, to
 * which the others link. The work gets the ids with which its spans are continued, the same list where none is traced.
 */
export function traceAll<R>(
  plan: ListPlan<R>,
  requestIds: readonly string[],
  work: (requestIds: readonly string[]) => Promise<R>,
): Promise<R> {
  return tracer === undefined ? work(requestIds) : tracer.traceAll(plan, requestIds, work);
}
