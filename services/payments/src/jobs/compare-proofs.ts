// Compares all payments with their proven transfers, a few pages at a time: the proven sum of a payment is that of its
// transfers, and what is enough has confirmed it. A difference counts once it outlasts the delay of an event.
import { every, type Runtime } from "@pay/process";
import { toAmount } from "@pay/values";
import { Gauge } from "prom-client";
import type { Deps } from "../deps.ts";
import type { Payment } from "../domain/payment.ts";
import { describeFault, isBroken, type Suspects, updateSuspects } from "../domain/proofs.ts";
import { pagePayments } from "../generated/sql.ts";
import { findByNames, type PaymentName } from "../storage/cross-tenant.ts";

const proofsBroken = new Gauge({
  name: "payment_proofs_broken",
  help: "Payments that differ for ten minutes from the transfers that prove them: not confirmed, or another sum proven",
  labelNames: ["of"],
});

const PAGE_MAX = 250;
const PAGES_MAX = 4;
/** Enough for an operator. */
const NAMED_MAX = 20;
const FAULTS = ["unconfirmed", "received"] as const;

export function startCompareProofs(
  deps: Deps,
  runtime: Runtime,
  { intervalMs }: { intervalMs: number },
): void {
  const start: PaymentName = { projectId: "", paymentId: "" };
  let place = start;
  let suspects: Suspects = new Map();

  async function look(payments: readonly Payment[]): Promise<void> {
    const proven = await readProven(deps, payments);
    const looked = payments.map((payment) => {
      return { payment, fault: describeFault(payment, proven.get(payment.id) ?? 0n) };
    });
    suspects = updateSuspects(suspects, looked, deps.clock.now());
  }

  async function lookAgain(): Promise<void> {
    const known = [...suspects.values()].map(({ payment }) => payment);
    for (let from = 0; from < known.length; from += PAGE_MAX) {
      const names = known.slice(from, from + PAGE_MAX).map(getName);
      await look(await findByNames(deps.db.pool, names));
    }
  }

  async function lookOn(): Promise<void> {
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page = await pagePayments(deps.db.pool, { ...place, limit: PAGE_MAX });
      await look(page);
      const last = page.at(-1);
      place = last === undefined || page.length < PAGE_MAX ? start : getName(last);
      if (place === start) return;
    }
  }

  every({
    name: "comparison of payments with their proofs",
    intervalMs,
    runtime,
    act: async () => {
      await lookAgain();
      await lookOn();
      const broken = [...suspects.values()].filter((one) => isBroken(one, deps.clock.now()));
      for (const of of FAULTS) {
        const ids = broken.flatMap(({ fault, payment }) => (fault === of ? payment.id : []));
        proofsBroken.set({ of }, ids.length);
        if (ids.length === 0) continue;
        const named = ids.slice(0, NAMED_MAX);
        runtime.log.error({ of, named }, "payments differ from their proven transfers");
      }
    },
  });
}

function getName({ project_id: projectId, id: paymentId }: Payment): PaymentName {
  return { projectId, paymentId };
}

/** The proven base units of each payment, queried by tenant. */
async function readProven(
  { chains }: Deps,
  payments: readonly Payment[],
): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>();
  const byTenant = Map.groupBy(payments, ({ project_id, mode }) => `${project_id} ${mode}`);
  for (const ofTenant of byTenant.values()) {
    const [first] = ofTenant;
    if (first === undefined) continue;
    const tenant = { projectId: first.project_id, mode: first.mode };
    const subjectIds = ofTenant.map(({ id }) => id);
    const { transfers } = await chains.batchGetTransfers({ tenant, subjectIds });
    for (const { subjectId, baseAmount, confirmedAt } of transfers) {
      if (confirmedAt === undefined) continue;
      sums.set(subjectId, (sums.get(subjectId) ?? 0n) + toAmount(baseAmount));
    }
  }
  return sums;
}
