// The gRPC side of a service. Start: bind, then answer health with SERVING. Stop: health says NOT_SERVING and callers
// are asked to connect anew while the port is still open, so that they find the replicas that stay; when the door
// closes, calls under way finish, and what is left at the end of the grace is cut off.
import type { DescService } from "@bufbuild/protobuf";
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { Runtime } from "@pay/process";
import {
  Health,
  type HealthCheckRequest,
  HealthCheckResponse_ServingStatus as Serving,
} from "@pay/proto";
import { Histogram } from "prom-client";
import { contextOf } from "./context.ts";
import { type Handlers, serviceDefinition } from "./contract.ts";
import { asFailure, Failure, toStatus } from "./errors.ts";
import { createIdentityCheck } from "./identity.ts";
import { CHANNEL_OPTIONS } from "./options.ts";

const STOP_GRACE_MS = 12_000;

const duration = new Histogram({
  name: "rpc_server_duration_seconds",
  help: "Time a service took to answer a call",
  labelNames: ["service", "method", "code"],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

/** A service and what answers for it. */
export interface Implementation {
  service: DescService;
  handlers: Record<string, (request: never, context: never) => Promise<object>>;
}

export const implement = <S extends DescService>(
  service: S,
  handlers: Handlers<S>,
): Implementation => ({ service, handlers: handlers as unknown as Implementation["handlers"] });

export const serve = async (options: {
  runtime: Runtime;
  port: number;
  services: Implementation[];
  host?: string;
}): Promise<{ address: string }> => {
  const { runtime, port, services, host = "0.0.0.0" } = options;
  const server = new Server({
    ...CHANNEL_OPTIONS,
    // Clients come back within a minute or two and so find replicas that joined since.
    "grpc.max_connection_age_ms": 60_000,
    "grpc.max_connection_age_grace_ms": 15_000,
  });
  for (const { service, handlers } of services) {
    server.addService(serviceDefinition(service), bridge(runtime, service, handlers));
  }
  server.addService(serviceDefinition(Health), {
    check: (call: ServerUnaryCall<HealthCheckRequest, object>, respond: sendUnaryData<object>) => {
      const serves = isServing(runtime, call.request.service);
      void serves.then((is) =>
        respond(null, { status: is ? Serving.SERVING : Serving.NOT_SERVING }),
      );
    },
  });
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, boundPort) =>
      error ? reject(error) : resolve(boundPort),
    );
  });
  const moveCallers = () => server.drain(`${host}:${bound}`, STOP_GRACE_MS);
  runtime.stopping.addEventListener("abort", moveCallers, { once: true });
  runtime.onStop("grpc server", () => shutDown(server));
  return { address: `${host === "0.0.0.0" ? "127.0.0.1" : host}:${bound}` };
};

/**
 * What a probe may ask for by name: `liveness` is answered by every process that answers at all, `readiness` is all
 * of /readyz, and the server as a whole serves until it stops.
 */
const isServing = async (runtime: Runtime, name: string): Promise<boolean> => {
  if (name === "liveness") return true;
  if (name === "readiness") return (await runtime.readiness()).ready;
  return !runtime.stopping.aborted;
};

const shutDown = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, STOP_GRACE_MS);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });

const bridge = (
  runtime: Runtime,
  service: DescService,
  handlers: Implementation["handlers"],
): UntypedServiceImplementation => {
  const checkIdentity = createIdentityCheck(runtime.serviceTokens);
  return Object.fromEntries(
    service.methods.map(({ localName }) => {
      const handle = handlers[localName] as (request: unknown, context: object) => Promise<object>;
      const answer: handleUnaryCall<unknown, object> = (call, respond) => {
        const stopTimer = duration.startTimer({ service: service.name, method: localName });
        const run = async () => {
          checkIdentity(call.metadata);
          return handle(call.request, deadlined(call));
        };
        run().then(
          (message) => {
            stopTimer({ code: "ok" });
            respond(null, message);
          },
          (error: unknown) => {
            const { kind } = asFailure(error);
            stopTimer({ code: kind });
            // A Failure is an answer; anything else is a fault of ours and is told once, here.
            if (kind === "internal" || kind === "unavailable") {
              const { requestId } = contextOf(call);
              runtime.log.error({ err: error, method: localName, requestId }, "a call failed");
            }
            respond(toStatus(error));
          },
        );
      };
      return [localName, answer];
    }),
  );
};

/** Work nobody bounds is work that piles up, so a call without a deadline is refused. */
const deadlined = (call: ServerUnaryCall<unknown, unknown>): object => {
  const context = contextOf(call);
  if (!Number.isFinite(context.deadline.getTime())) {
    throw new Failure("invalid_argument", "A call needs a deadline");
  }
  return context;
};
