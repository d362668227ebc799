// A merchant whose endpoint was disabled by the service reads it in the header that carries all notices.
import type { Endpoint } from "@pay/proto";
import type { Call } from "../../pipeline/route.ts";

const NAMED_MAX = 5;

/** The notice for X-Service-Warning; undefined where every endpoint is as its merchant left it. */
export function disabledWarning(
  endpoints: readonly Pick<Endpoint, "id" | "disabledReason">[],
): string | undefined {
  const failing = endpoints.filter(({ disabledReason }) => disabledReason !== "");
  if (failing.length === 0) return undefined;
  return failing
    .slice(0, NAMED_MAX)
    .map(({ id }) => `webhook endpoint ${id} is disabled because it failed for three days`)
    .join(", ");
}

/** The same endpoints; the answer has the notice where one is due. */
export function withWarnings({ reply }: Pick<Call, "reply">, list: Endpoint[]): Endpoint[] {
  const warning = disabledWarning(list);
  if (warning !== undefined) reply("X-Service-Warning", warning);
  return list;
}

export function withWarning(call: Pick<Call, "reply">, endpoint: Endpoint): Endpoint {
  withWarnings(call, [endpoint]);
  return endpoint;
}
