import type { DescService } from "@bufbuild/protobuf";
import { type Metadata, makeGenericClientConstructor } from "@grpc/grpc-js";
import { asFailure, getKind } from "@pay/failures";
import type { Runtime } from "@pay/process";
import { Histogram } from "prom-client";
import { LOAD_BALANCING } from "./balancing.ts";
import { createClientCredentials } from "./certificates.ts";
import { toMetadata } from "./context.ts";
import {
  type CallOptions,
  type Client,
  type LazyMessage,
  type Method,
  serviceDefinition,
} from "./contract.ts";
import { answerLatePings } from "./draining.ts";
import { showIdentity } from "./identity.ts";
import { CLIENT_OPTIONS, DURATION_BUCKETS } from "./options.ts";
import { fromStatus } from "./status.ts";
import { traceClient } from "./trace-call.ts";

const TIMEOUT_MS = 4_000;

// Every replica gets its share: a channel to a name spreads its calls over all addresses of that name that answer.
const SERVICE_CONFIG = JSON.stringify({ loadBalancingConfig: [{ [LOAD_BALANCING]: {} }] });

const duration = new Histogram({
  name: "rpc_client_duration_seconds",
  help: "Time until a call to another service had its answer or its failure",
  labelNames: ["service", "method", "code"],
  buckets: DURATION_BUCKETS,
});

/** A typed client of one service. Calls have a deadline, carry their context and fail with a Failure. */
export function connect<S extends DescService>(
  service: S,
  address: string,
  runtime: Pick<Runtime, "onStop" | "identity" | "log">,
): Client<S> {
  const definition = serviceDefinition(service);
  const Stub = makeGenericClientConstructor(definition, service.name);
  const stub = new Stub(address, createClientCredentials(runtime), {
    ...CLIENT_OPTIONS,
    "grpc.service_config": SERVICE_CONFIG,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
    // A stopped replica is replaced by one under a new address: names are resolved again at once, not after 30 s.
    "grpc.dns_min_time_between_resolutions_ms": 1_000,
  });
  const forgetPings = answerLatePings();
  runtime.onStop(`client of ${service.name}`, () => {
    stub.close();
    forgetPings();
  });

  function send(
    method: Method,
    request: object,
    { context = {}, timeoutMs = TIMEOUT_MS }: CallOptions,
  ) {
    return new Promise<LazyMessage>((resolve, reject) => {
      const own = Date.now() + timeoutMs;
      const deadline = Math.min(own, context.deadline?.getTime() ?? own);
      const metadata: Metadata = toMetadata(context);
      showIdentity(metadata, runtime.identity);
      stub.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadata,
        { deadline },
        (error, message?: LazyMessage) =>
          error ? reject(fromStatus(error, method.path)) : resolve(message as LazyMessage),
      );
    });
  }

  function caller(name: string, method: Method) {
    const spanName = method.path.slice(1);
    return async (request: object, options: CallOptions = {}) => {
      const stopTimer = duration.startTimer({ service: service.name, method: name });
      const { context = {} } = options;
      try {
        const answer = await traceClient(spanName, { request, context }, (sent, about) =>
          send(method, sent, { ...options, context: about }),
        );
        const message = answer.read();
        stopTimer({ code: "ok" });
        return message;
      } catch (error) {
        const failure = asFailure(error);
        stopTimer({ code: getKind(failure.errorCode) });
        throw failure;
      }
    };
  }

  const calls = Object.entries(definition).map(([name, method]) => [name, caller(name, method)]);
  return Object.fromEntries(calls) as Client<S>;
}
