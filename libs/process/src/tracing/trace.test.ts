import { expect, test } from "@jest/globals";
import { startCollector } from "@pay/testing";
import { createTestRuntime } from "../lifecycle.ts";
import { createLog } from "../log.ts";
import { startTracing } from "./start.ts";
import {
  splitTrace,
  startRequest,
  traceAll,
  traceStep,
  withActiveTrace,
  withTrace,
} from "./trace.ts";

const TRACES = ["a".repeat(32), "b".repeat(32), "c".repeat(32)];
const SPAN = "1".repeat(16);

function traced(requestId: string, traceId = "", flags = "01"): string {
  return withTrace(requestId, `00-${traceId}-${SPAN}-${flags}`);
}

const step = () => ({ name: "step", kind: "client" }) as const;

test("without tracing work runs as it is, and a request id keeps the trace of others", async () => {
  const ids = [traced("r-1", TRACES[0]), "r-2"];
  const plan = { name: "list", kind: "server" } as const;
  expect(await traceAll(plan, ids, async (own) => own)).toBe(ids);
  expect(await traceStep(step, async () => withActiveTrace("r-3"))).toBe("r-3");
  expect(startRequest(`00-${TRACES[0]}-${SPAN}-01`)).toBeUndefined();
});

test("only a traceparent is taken for one", () => {
  expect(traced("r-1", TRACES[0])).toBe(`r-1 00-${TRACES[0]}-${SPAN}-01`);
  for (const other of ["", "0".repeat(32), "A".repeat(32), `${"a".repeat(31)} `]) {
    expect(traced("r-1", other)).toBe("r-1");
  }
});

test("a line of the log has request id and trace id as two fields", () => {
  const lines: string[] = [];
  const log = createLog("shop", "info", { write: (line) => lines.push(line) });
  log.info({ requestId: traced("r-1", TRACES[0]), other: 1 }, "done");
  log.info({ requestId: "r-2" }, "done");
  const [first, second] = lines.map((line) => JSON.parse(line));
  expect(first).toMatchObject({ requestId: "r-1", traceId: TRACES[0], other: 1 });
  expect(second).toEqual(expect.not.objectContaining({ traceId: expect.anything() }));
});

test("a sampler that does not exist ends the start", async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_TRACES_SAMPLER: "half" };
  await expect(startTracing(createTestRuntime("shop"), "1", env)).rejects.toThrow(
    "OTEL_TRACES_SAMPLER must be one of always_on",
  );
});

test("OTEL_SDK_DISABLED keeps tracing off", async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_SDK_DISABLED: "true" };
  await startTracing(createTestRuntime("shop"), "1", env);
  expect(startRequest(undefined)).toBeUndefined();
});

test("a list of requests has a span in the trace of each, and its work belongs to the first", async () => {
  const collector = await startCollector();
  const runtime = createTestRuntime("shop");
  await startTracing(runtime, "1", collector.collectHere());
  const plan = { name: "list", kind: "server", describe: (at: number) => ({ at }) } as const;
  const [first = "", second = "", notSampled = ""] = TRACES;
  const ids = [traced("r-0", notSampled, "00"), traced("r-1", first), traced("r-2", second), "r-3"];
  const wake = Promise.withResolvers<void>();
  let late: Promise<string> | undefined;
  const own = await traceAll(plan, ids, async (continued) => {
    late = wake.promise.then(() => withActiveTrace("late"));
    await expect(traceStep(step, () => Promise.reject(new Error("s3cret")))).rejects.toThrow();
    return continued;
  });
  wake.resolve();
  expect(await late).toBe("late");
  await runtime.stop();
  await collector.stop();

  expect([own[0], own[3]]).toEqual([ids[0], ids[3]]);
  expect(own.map((id) => splitTrace(id).requestId)).toEqual(["r-0", "r-1", "r-2", "r-3"]);
  const [led, step1] = collector.spans(first).sort((a, b) => a.name.localeCompare(b.name));
  expect(own[1]).toContain(`${first}-${led?.spanId}-01`);
  expect(led).toMatchObject({ service: "shop", name: "list", parentId: SPAN, links: [] });
  expect(step1).toMatchObject({ name: "step", parentId: led?.spanId });
  expect(collector.spans(second)).toMatchObject([
    { name: "list", parentId: SPAN, links: [led?.spanId] },
  ]);
  expect(collector.spans(notSampled)).toEqual([]);
  expect(Buffer.concat(collector.exports).toString("latin1")).not.toContain("s3cret");
});
