import type { Lifecycle } from "../lifecycle.ts";
import { setTracer } from "./trace.ts";

/** On where the standard variables name a collector. */
export async function startTracing(
  { service, log, onStop }: Pick<Lifecycle, "service" | "log" | "onStop">,
  version: string,
  env: Record<string, string | undefined>,
): Promise<void> {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint || env.OTEL_SDK_DISABLED === "true" || env.OTEL_TRACES_EXPORTER === "none") return;
  const { createTracer } = await import("./opentelemetry.ts");
  const tracer = createTracer({ service, version, env, log });
  setTracer(tracer);
  onStop("traces", async () => {
    setTracer(undefined);
    await tracer.stop();
  });
}
