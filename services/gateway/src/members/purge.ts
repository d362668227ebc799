import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import {
  purgeChallenges,
  purgeInvitations,
  purgeLinks,
  purgeMails,
  purgeMemberSessions,
  purgeNeedStates,
  purgeToldNeeds,
} from "../generated/sql.ts";

const INTERVAL_MS = 60_000;
/** Clocks differ. */
const KEPT_LONGER_MS = 5 * 60_000;
/** Members see for a while that an invitation was not accepted. */
const INVITATION_KEPT_MS = 30 * 24 * 60 * 60_000;
/** As long as the audit log. */
const NEED_STATE_KEPT_MS = 400 * 24 * 60 * 60_000;
const MAIL_KEPT_MS = 3 * 24 * 60 * 60_000;
const SESSION_KEPT_MS = 24 * 60 * 60_000;
/** The batch of the statements. */
const PURGED_ROWS = 1_000;

export function startSignInPurge(pool: Pool, runtime: Runtime): void {
  const job = every({
    name: "purge of sign-ins, needs and mails",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const now = runtime.clock.now().getTime();
      const expired = { before: new Date(now - KEPT_LONGER_MS) };
      const links = await purgeLinks(pool, expired);
      const challenges = await purgeChallenges(pool, expired);
      const sessions = await purgeMemberSessions(pool, { before: new Date(now - SESSION_KEPT_MS) });
      const unanswered = { before: new Date(now - INVITATION_KEPT_MS) };
      const invitations = await purgeInvitations(pool, unanswered);
      const states = await purgeNeedStates(pool, { before: new Date(now - NEED_STATE_KEPT_MS) });
      const mails = await purgeMails(pool, { before: new Date(now - MAIL_KEPT_MS) });
      const told = await purgeToldNeeds(pool, { before: new Date(now - NEED_STATE_KEPT_MS) });
      if ([links, challenges, sessions, invitations, states, mails, told].includes(PURGED_ROWS))
        job.wake();
    },
  });
}
