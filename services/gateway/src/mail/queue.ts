// Mails that nobody waits for. A row is written with the change that it reports, so that none is missed, and leaves
// when the mail server has taken it. One that fails is tried again every five minutes for three days.
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { claimMails, deleteMail } from "../generated/sql.ts";
import type { Mailer } from "./mailer.ts";

const INTERVAL_MS = 60_000;
/** Longer than a batch takes when each mail meets its deadline. */
const LEASE_MS = 5 * 60_000;
/** The batch of the statement. */
const CLAIMED_ROWS = 20;

export interface Mails extends Mailer {
  /** Rows were added. */
  wake(): void;
}

export function startMails(pool: Pool, mailer: Mailer, runtime: Runtime): Mails {
  const job = every({
    name: "mails",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const now = runtime.clock.now();
      const leaseUntil = new Date(now.getTime() + LEASE_MS);
      const mails = await claimMails(pool, { now, leaseUntil });
      for (const { id, recipient, subject, body } of mails) {
        if (runtime.stopping.aborted) return;
        if (await mailer.send({ to: recipient, subject, text: body }))
          await deleteMail(pool, { id });
      }
      if (mails.length === CLAIMED_ROWS) job.wake();
    },
  });
  return { ...mailer, ...job };
}
