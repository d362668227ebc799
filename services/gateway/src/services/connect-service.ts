import type { DescService } from "@bufbuild/protobuf";
import { Failure, type FailureCode } from "@pay/failures";
import type { Runtime } from "@pay/process";
import { type CallOptions, type Client, connect } from "@pay/rpc";

/** Refusals of the caller itself; the generic ones come from a service of another version. */
const REFUSALS: ReadonlySet<string> = new Set<FailureCode>([
  "unauthenticated",
  "caller_unknown",
  "permission_denied",
  "caller_not_allowed",
]);

type Call = (request: object, options?: CallOptions) => Promise<object>;

/**
 * A client for requests of merchants. A service that refuses the gateway itself (a wrong token, a missing right)
 * says nothing about the merchant's key, so the merchant gets 503 and the log names the refusal.
 */
export function connectService<S extends DescService>(
  service: S,
  address: string,
  runtime: Pick<Runtime, "onStop" | "identity" | "log">,
): Client<S> {
  function withoutRefusals(method: string, call: Call): Call {
    return async (request, options) => {
      try {
        return await call(request, options);
      } catch (error) {
        if (!(error instanceof Failure) || !REFUSALS.has(error.errorCode)) throw error;
        const { errorCode: code } = error;
        runtime.log.error(
          { service: service.typeName, method, code },
          "a service refused the gateway",
        );
        throw new Failure("service_unavailable", "The service is not available", { cause: error });
      }
    };
  }

  const client = connect(service, address, runtime) as unknown as Record<string, Call>;
  const calls = Object.entries(client).map(([method, call]) => [
    method,
    withoutRefusals(method, call),
  ]);
  return Object.fromEntries(calls) as unknown as Client<S>;
}
