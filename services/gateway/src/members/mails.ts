// What members get by mail where the operator has named a mail server.
import type { Queryable } from "@pay/database";
import type { Clock } from "@pay/process";
import type { Pool } from "pg";
import * as sql from "../generated/sql.ts";
import type { Mails } from "../mail/queue.ts";
import type { MemoryBuckets } from "../pipeline/limits/memory.ts";

const DAY_US = 24 * 3_600 * 1_000_000;
/** A key that was stolen must not send mails without end in the operator's name. */
const PER_DAY = 50;
const INVITATIONS = { name: "invitation-mails", burst: PER_DAY, refillUs: DAY_US / PER_DAY };

export interface MemberMails {
  /**
   * Sends the link of an invitation, and gives the time at which the mail server took it; null where it did not. In the
   * request and in no queue: the link is stored nowhere, and who invites gets it in any case.
   */
  sendInvitation(invitation: SentInvitation): Promise<Date | null>;
  /** Writes a mail to all owners of the member's projects, in the transaction of the sign-in. */
  announceRecovery(tx: Queryable, recovered: Recovered): Promise<void>;
  /** After the transaction. */
  wake(): void;
  send: Mails["send"];
}

export interface SentInvitation {
  projectId: string;
  id: string;
  digest: Buffer;
  link: string;
}

export interface Recovered {
  memberId: string;
  name: string;
  email: string;
  way: "a recovery code" | "a one-time link";
}

interface Parts {
  pool: Pool;
  mails: Mails;
  buckets: MemoryBuckets;
  origin: string;
  clock: Clock;
}

export function createMemberMails({ pool, mails, buckets, origin, clock }: Parts): MemberMails {
  return {
    sendInvitation: async ({ projectId, id, digest, link }) => {
      const now = clock.now();
      const [invitation] = await sql.findInvitation(pool, { digests: [digest], now });
      if (invitation === undefined) return null;
      const bucket = { name: projectId, policy: INVITATIONS, cost: 1 } as const;
      if (buckets.draw([bucket]).waitUs > 0) return null;
      const { email, project_name: project, inviter_name: inviter, expires_at } = invitation;
      const isTaken = await mails.send({
        to: email,
        subject: `Join ${project}`,
        text: [
          inviter === null
            ? `You are invited to join ${project}.`
            : `${inviter} invites you to join ${project}.`,
          `This link works once, until ${expires_at.toUTCString()}:\n${link}`,
          "Ignore this mail if you did not expect it.",
        ].join("\n\n"),
      });
      if (!isTaken) return null;
      await sql.markInvitationMailed(pool, { projectId, id, now });
      return now;
    },
    announceRecovery: async (tx, { memberId, name, email, way }) => {
      const now = clock.now();
      await sql.announceRecovery(tx, {
        memberId,
        subject: `Account recovery of ${name}`,
        body: [
          `${name} (${email}) signed in to the dashboard by ${way} on ${now.toUTCString()}.`,
          `If nobody of you expected it, remove this member:\n${origin}/dashboard/members`,
        ].join("\n\n"),
        now,
      });
    },
    wake: mails.wake,
    send: mails.send,
  };
}
