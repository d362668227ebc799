import { Failure } from "@pay/failures";
import { CustomersService } from "@pay/proto";
import type { Handlers } from "../src/index.ts";

type All = Handlers<typeof CustomersService>;

async function refuse(): Promise<never> {
  throw new Failure("internal", "No test calls this");
}

/** A service for tests of the transport: it answers some calls, and a further rpc of the service changes no test. */
export function completeHandlers(handlers: Partial<All>): All {
  const refusing = CustomersService.methods.map(({ localName }) => [localName, refuse]);
  return { ...Object.fromEntries(refusing), ...handlers };
}
