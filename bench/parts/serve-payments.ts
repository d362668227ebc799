// Payments, as far as chains calls it: the orders are all known from their events, so none is added.
import { Failure } from "@pay/failures";
import type { Lifecycle } from "@pay/process";
import { PaymentsService } from "@pay/proto";
import { implement, serve } from "@pay/rpc";

export function servePayments(runtime: Lifecycle): Promise<{ address: string }> {
  const handlers = { ...REFUSED, findOpenPayments: async () => ({ payments: [] }) };
  return serve({ runtime, port: 0, services: [implement(PaymentsService, handlers)] });
}

async function refuse(): Promise<never> {
  throw new Failure(
    "service_unavailable",
    "a bench answers which payments are open, and nothing else",
  );
}

const REFUSED = Object.fromEntries(
  Object.keys(PaymentsService.method).map((name) => [name, refuse]),
) as unknown as Parameters<typeof implement<typeof PaymentsService>>[1];
