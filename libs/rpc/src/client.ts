import type { DescService } from "@bufbuild/protobuf";
import { credentials, type Metadata, makeGenericClientConstructor } from "@grpc/grpc-js";
import type { Runtime } from "@pay/process";
import { metadataOf } from "./context.ts";
import {
  type CallOptions,
  type Client,
  type Method,
  type Parcel,
  serviceDefinition,
} from "./contract.ts";
import { asFailure, fromStatus } from "./errors.ts";
import { showIdentity } from "./identity.ts";
import { CHANNEL_OPTIONS } from "./options.ts";

const TIMEOUT_MS = 4_000;

// Every replica gets its share: a channel to a name spreads its calls over all addresses of that name.
const SERVICE_CONFIG = JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] });

/** A typed client of one service. Calls are bounded in time, carry their context and fail with a Failure. */
export const connect = <S extends DescService>(
  service: S,
  address: string,
  runtime: Pick<Runtime, "onStop" | "serviceTokens">,
): Client<S> => {
  const definition = serviceDefinition(service);
  const Stub = makeGenericClientConstructor(definition, service.name);
  const stub = new Stub(address, credentials.createInsecure(), {
    ...CHANNEL_OPTIONS,
    "grpc.service_config": SERVICE_CONFIG,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
    // A replica that goes is replaced by one under a new address: ask for it at once, not after half a minute.
    "grpc.dns_min_time_between_resolutions_ms": 1_000,
  });
  runtime.onStop(`client of ${service.name}`, () => stub.close());

  const send = (method: Method, request: object, options: CallOptions) =>
    new Promise<Parcel>((resolve, reject) => {
      const { context = {}, timeoutMs = TIMEOUT_MS } = options;
      const own = Date.now() + timeoutMs;
      const deadline = Math.min(own, context.deadline?.getTime() ?? own);
      const metadata: Metadata = metadataOf(context);
      showIdentity(metadata, runtime.serviceTokens);
      stub.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadata,
        { deadline },
        (error, parcel?: Parcel) => (error ? reject(fromStatus(error)) : resolve(parcel as Parcel)),
      );
    });
  const caller =
    (method: Method) =>
    async (request: object, options: CallOptions = {}) => {
      const parcel = await send(method, request, options);
      try {
        return parcel.open();
      } catch (error) {
        throw asFailure(error);
      }
    };
  const calls = Object.entries(definition).map(([name, method]) => [name, caller(method)]);
  return Object.fromEntries(calls) as Client<S>;
};
