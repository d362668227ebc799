// The gRPC server of a service. Start: bind, then answer health with SERVING. Stop: health is NOT_SERVING, and callers
// are told to reconnect while the port is still open, so that they find the replicas that stay. When the port
// closes, running calls finish; a call that still runs at the end of the grace is cut off.
import type { DescService, Message } from "@bufbuild/protobuf";
import {
  type handleUnaryCall,
  Server,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { asFailure, Failure, getKind, isFault } from "@pay/failures";
import { hostToBind, joinHostPort, localAddress, type Runtime, splitTrace } from "@pay/process";
import {
  Health,
  type HealthCheckRequest,
  HealthCheckResponse_ServingStatus as Serving,
} from "@pay/proto";
import { Histogram } from "prom-client";
import { createServerCredentials } from "./certificates.ts";
import { type CallContext, readContext } from "./context.ts";
import { type Handlers, type LazyMessage, serviceDefinition } from "./contract.ts";
import { createIdentityCheck } from "./identity.ts";
import { CHANNEL_OPTIONS, DURATION_BUCKETS } from "./options.ts";
import { toStatus } from "./status.ts";
import { traceServer } from "./trace-call.ts";

const STOP_GRACE_MS = 12_000;
const HEALTH_BYTES_MAX = 256;

const duration = new Histogram({
  name: "rpc_server_duration_seconds",
  help: "Time a service took to answer a call",
  labelNames: ["service", "method", "code"],
  buckets: DURATION_BUCKETS,
});

/** A service and its handlers. */
export interface Implementation {
  service: DescService;
  handlers: Record<string, (request: never, context: never) => Promise<object>>;
}

export function implement<S extends DescService>(
  service: S,
  handlers: Handlers<S>,
): Implementation {
  return { service, handlers: handlers as unknown as Implementation["handlers"] };
}

export async function serve(options: {
  runtime: Runtime;
  port: number;
  services: Implementation[];
}): Promise<{ address: string }> {
  const { runtime, port, services } = options;
  const host = hostToBind(runtime.grpcHost);
  const server = new Server({
    ...CHANNEL_OPTIONS,
    // Clients connect anew within a minute or two, and so find replicas that started since.
    "grpc.max_connection_age_ms": 60_000,
    "grpc.max_connection_age_grace_ms": 15_000,
  });
  for (const { service, handlers } of services) {
    server.addService(serviceDefinition(service), bridge(runtime, service, handlers));
  }
  server.addService(serviceDefinition(Health), { check: answerHealth(runtime) });
  const bound = await new Promise<number>((resolve, reject) => {
    const address = joinHostPort(host, port);
    server.bindAsync(address, createServerCredentials(runtime), (error, boundPort) =>
      error ? reject(error) : resolve(boundPort),
    );
  });
  function moveCallers() {
    return server.drain(joinHostPort(host, bound), STOP_GRACE_MS);
  }

  runtime.stopping.addEventListener("abort", moveCallers, { once: true });
  runtime.onStop("grpc server", () => shutDown(server));
  return { address: localAddress(host, bound) };
}

/** Probes send no token, so the only thing they may send is a short name. */
function answerHealth(runtime: Runtime): handleUnaryCall<LazyMessage, object> {
  return ({ request }, respond) => {
    async function answer() {
      if (request.size > HEALTH_BYTES_MAX) throw new Failure("call_malformed", "No such service");
      const { service } = read(request) as HealthCheckRequest;
      const serves = await isServing(runtime, service);
      return { status: serves ? Serving.SERVING : Serving.NOT_SERVING };
    }

    answer().then(
      (message) => respond(null, message),
      (error: unknown) => respond(toStatus(error)),
    );
  };
}

function read(message: LazyMessage): Message {
  try {
    return message.read();
  } catch (error) {
    throw new Failure("call_malformed", "The message cannot be read", { cause: error });
  }
}

/**
 * The health of each name a probe may send: `liveness` is healthy in every process that answers, `readiness` is that of
 * /readyz, and any other name is healthy until the server stops.
 */
async function isServing(runtime: Runtime, name: string): Promise<boolean> {
  if (name === "liveness") return true;
  if (name === "readiness") return (await runtime.readiness()).ready;
  return !runtime.stopping.aborted;
}

function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, STOP_GRACE_MS);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function bridge(
  runtime: Runtime,
  service: DescService,
  handlers: Implementation["handlers"],
): UntypedServiceImplementation {
  return Object.fromEntries(
    service.methods.map((method) => {
      const { localName } = method;
      const spanName = `${service.typeName}/${method.name}`;
      const checkIdentity = createIdentityCheck(runtime.identity, method);
      const handle = handlers[localName] as (request: unknown, context: object) => Promise<object>;
      const answer: handleUnaryCall<LazyMessage, object> = (call, respond) => {
        const stopTimer = duration.startTimer({ service: service.name, method: localName });
        let request: Message | undefined;
        async function run() {
          checkIdentity(call.metadata);
          request = read(call.request);
          const context = deadlined(call);
          return traceServer(spanName, { request, context }, (own) => handle(request, own));
        }

        run().then(
          (message) => {
            stopTimer({ code: "ok" });
            respond(null, message);
          },
          (error: unknown) => {
            const { errorCode } = asFailure(error);
            stopTimer({ code: getKind(errorCode) });
            // Other failures are answers; a fault of ours is logged here and nowhere else.
            if (isFault(errorCode)) {
              const { requestId } = readContext(call);
              const about = { method: localName, requestId, ...getItems(request) };
              runtime.log.error({ err: error, ...about }, "a call failed");
            }
            respond(toStatus(error));
          },
        );
      };
      return [localName, answer];
    }),
  );
}

/** A list is of many requests of merchants, and each of its items names its own. */
function getItems(message: Message | undefined): { requestIds?: string[] } {
  const { requests } = (message ?? {}) as { requests?: readonly { requestId?: string }[] };
  if (requests === undefined) return {};
  return {
    requestIds: requests.flatMap(({ requestId = "" }) => splitTrace(requestId).requestId || []),
  };
}

/** Unbounded work piles up, so a call without a deadline is refused. */
function deadlined(call: ServerUnaryCall<unknown, unknown>): CallContext {
  const context = readContext(call);
  if (!Number.isFinite(context.deadline.getTime())) {
    throw new Failure("call_malformed", "A call needs a deadline");
  }
  return context;
}
