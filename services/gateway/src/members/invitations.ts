// What a person does with the link of an invitation. The address alone opens nobody's account: who can sign in
// otherwise accepts when signed in.
import type { Queryable } from "@pay/database";
import { newSecret } from "@pay/values";
import * as sql from "../generated/sql.ts";
import { listDigests, toDigest } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";
import { SESSION_PREFIX } from "./sign-ins.ts";

export const INVITATION_PREFIX = "inv_";
const FORM = /^inv_[0-9A-Za-z]{43}$/;

export type Invitation = sql.FindInvitationRow;

interface By {
  peppers: Peppers;
  now: Date;
}

/** Undefined where the link opens nothing. */
export async function findInvitation(
  db: Queryable,
  link: string,
  { peppers, now }: By,
): Promise<Invitation | undefined> {
  if (!FORM.test(link)) return undefined;
  const [invitation] = await sql.findInvitation(db, { digests: listDigests(link, peppers), now });
  return invitation;
}

export interface Acceptance {
  link: string;
  /** Of the member who is signed in; null for somebody who has no sign-in yet. */
  memberId: string | null;
  name: string;
  agent: string | null;
}

/** The project, the member and the token of the sign-in that is open now; undefined where the link opens nothing. */
export async function acceptInvitation(
  db: Queryable,
  { link, ...acceptance }: Acceptance,
  { peppers, now }: By,
): Promise<{ projectId: string; memberId: string; token: string } | undefined> {
  if (!FORM.test(link)) return undefined;
  const token = newSecret(SESSION_PREFIX);
  const [joined] = await sql.acceptInvitation(db, {
    ...acceptance,
    digests: listDigests(link, peppers),
    session: toDigest(token, peppers[0]),
    now,
  });
  return joined && { projectId: joined.project_id, memberId: joined.member_id, token };
}
