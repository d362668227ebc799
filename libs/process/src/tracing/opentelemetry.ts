// Loaded only where tracing is on. The exporter and the resource read their standard variables themselves.
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { z } from "zod";
import { readConfig } from "../config.ts";
import type { Log } from "../log.ts";
import {
  isTraceparent,
  type ListPlan,
  type RequestSpan,
  type SpanPlan,
  splitTrace,
  type Tracer,
  withTrace,
} from "./trace.ts";

const EXPORT_TIMEOUT_MS = 5_000;

const RATIO = "must be a number from 0 to 1";

const settings = z.object({
  OTEL_TRACES_SAMPLER: z
    .enum([
      "always_on",
      "always_off",
      "traceidratio",
      "parentbased_always_on",
      "parentbased_always_off",
      "parentbased_traceidratio",
    ])
    .default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .refine((ratio) => ratio >= 0 && ratio <= 1, RATIO)
    .default(1),
  OTEL_BSP_SCHEDULE_DELAY: z.coerce.number().int().min(1).max(60_000).default(5_000),
});

type Settings = z.infer<typeof settings>;

function createSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Settings) {
  const isParentBased = name.startsWith("parentbased_");
  const root = createRootSampler(name.replace("parentbased_", ""), ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function createRootSampler(name: string, ratio: number): Sampler {
  if (name === "traceidratio") return new TraceIdRatioBasedSampler(ratio);
  return name === "always_on" ? new AlwaysOnSampler() : new AlwaysOffSampler();
}

const KINDS = {
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const satisfies Record<SpanPlan["kind"], SpanKind>;

export interface TracingOptions {
  service: string;
  version: string;
  env: Record<string, string | undefined>;
  log: Log;
}

export interface RunningTracer extends Tracer {
  /** Sends what is left. */
  stop(): Promise<void>;
}

export function createTracer({ service, version, env, log }: TracingOptions): RunningTracer {
  const config = readConfig(settings, env);
  const ignore = () => {};
  // A message of the exporter may quote the collector's address, which may hold a password.
  const warn = () => log.warn("spans were not exported");
  const logger = { error: warn, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": service, "service.version": version }))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
    sampler: createSampler(config),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  const spans = provider.getTracer("pay");
  const active = new AsyncLocalStorage<Span>();

  function startSpan(
    { name, kind, attributes = {} }: SpanPlan,
    parent: Context,
    lead?: Span,
    described?: Attributes,
  ): Span {
    const links = lead === undefined ? [] : [{ context: lead.spanContext() }];
    const all = { ...attributes, ...described };
    return spans.startSpan(name, { kind: KINDS[kind], attributes: all, links }, parent);
  }

  function findActive(): Span | undefined {
    const span = active.getStore();
    // Work that outlives a request, such as a loop that it woke, belongs to it no longer.
    return span?.isRecording() ? span : undefined;
  }

  function startRequest(traceparent: string | undefined): RequestSpan | undefined {
    const parent = toContext(traceparent) ?? ROOT_CONTEXT;
    const span = startSpan({ name: "request", kind: "server" }, parent);
    if (!span.isRecording()) return undefined;
    return {
      traceparent: toTraceparent(span),
      run: (work) => active.run(span, work),
      end: ({ name, statusCode, attributes }) => {
        span.updateName(name);
        span.setAttributes({ "http.response.status_code": statusCode, ...attributes });
        if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  async function traceStep<R>(plan: () => SpanPlan, work: () => Promise<R>): Promise<R> {
    const parent = findActive();
    if (parent === undefined) return work();
    return endWith([startSpan(plan(), trace.setSpan(ROOT_CONTEXT, parent))], work);
  }

  async function traceAll<R>(
    plan: ListPlan<R>,
    requestIds: readonly string[],
    work: (requestIds: readonly string[]) => Promise<R>,
  ): Promise<R> {
    const started: Span[] = [];
    const continued = requestIds.map((traced, at) => {
      const { requestId, traceparent } = splitTrace(traced);
      const parent = toContext(traceparent);
      if (parent === undefined) return traced;
      const span = startSpan(plan, parent, started[0], plan.describe?.(at));
      if (!span.isRecording()) return traced;
      started.push(span);
      return withTrace(requestId, toTraceparent(span));
    });
    const [lead] = started;
    if (lead === undefined) return work(requestIds);
    return endWith(started, () => active.run(lead, () => work(continued)), plan.describeResult);
  }

  return {
    startRequest,
    traceStep,
    traceAll,
    getActive: () => {
      const span = findActive();
      return span && toTraceparent(span);
    },
    stop: () => provider.shutdown(),
  };
}

async function endWith<R>(
  spans: readonly Span[],
  work: () => Promise<R>,
  describeResult: (result: R) => Attributes = () => ({}),
): Promise<R> {
  function end(attributes: Attributes) {
    for (const span of spans) {
      span.setAttributes(attributes);
      if (attributes["error.type"] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    }
  }

  try {
    const result = await work();
    end(describeResult(result));
    return result;
  } catch (error) {
    end({ "error.type": getErrorType(error) });
    throw error;
  }
}

/** A code or a class: messages may quote addresses and values. */
function getErrorType(error: unknown): string {
  const { errorCode, code, name } = (error ?? {}) as Record<string, unknown>;
  return String(errorCode ?? code ?? name ?? "unknown");
}

function toTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** The span of a traceparent as a parent; undefined for a text that is none. */
function toContext(traceparent: string | undefined): Context | undefined {
  if (!isTraceparent(traceparent)) return undefined;
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
  };
  return trace.setSpanContext(ROOT_CONTEXT, context);
}
