/** Where a rule does not hold, and why. By rule, then by path; an entry that is no longer needed fails the test. */
export const EXCEPTIONS: Record<string, Record<string, string>> = {
  "failure statuses are numbers only in the one table of failures": {
    "libs/rpc/src/errors.ts": "is the table",
    "libs/process/src/side-port.ts": "answers probes of the platform, before and without any rpc",
    "services/webhooks/src/domain/pacing.ts": "reads what receivers answer; none of it is ours",
  },
  "packages meet at their index: no path into or out of one": {
    "bench/auth.ts": "measures a part that the gateway has no reason to export",
    "bench/baselines/monolith.ts":
      "what it is compared with must use the same tables through the same generated client",
  },
  "a row that belongs to a project is asked for with its project": {
    "services/payments/src/storage.ts":
      "facts of the chain and of refunds name payments of many projects in one list",
    "services/chains/src/storage.ts":
      "the service's own work list, which follows the chain and not one merchant",
    "services/refunds/src/storage.ts":
      "verdicts of the chain name refunds of many projects in one list",
    "services/webhooks/src/storage/deliveries.ts":
      "a worker's own deliveries, which it claimed across projects",
    "services/webhooks/src/storage/endpoints.ts":
      "endpoints of deliveries the worker has claimed across projects",
  },
};
