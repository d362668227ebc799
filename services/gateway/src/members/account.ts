// What a member sees and changes of the own account.
import { Failure } from "@pay/failures";
import type { Pool } from "pg";
import type { PrismaClient } from "../generated/prisma/client.ts";
import { removePasskey as removeStoredPasskey } from "../generated/sql.ts";
import { SESSION_MAX_MS, type SignIn } from "./sign-ins.ts";

/** More than a person looks through. */
const SIGN_INS_MAX = 50;

function toId(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

export async function readAccount(prisma: PrismaClient, { session }: SignIn, now: Date) {
  const member = { member_id: session.memberId };
  const begun = new Date(now.getTime() - SESSION_MAX_MS);
  const [passkeys, signIns, codesLeft] = await Promise.all([
    prisma.passkey.findMany({
      where: member,
      omit: { public_key: true },
      orderBy: [{ created_at: "asc" }, { credential_id: "asc" }],
    }),
    prisma.memberSession.findMany({
      where: { ...member, ended_at: null, created_at: { gt: begun } },
      orderBy: { seen_at: "desc" },
      take: SIGN_INS_MAX,
    }),
    prisma.recoveryCode.count({ where: { ...member, used_at: null } }),
  ]);
  return {
    member: { id: session.memberId, name: session.name, email: session.email },
    passkeys: passkeys.map((passkey) => ({
      id: toId(passkey.credential_id),
      name: passkey.name,
      isBackedUp: passkey.backed_up,
      createdAt: passkey.created_at,
      lastUsedAt: passkey.last_used_at,
    })),
    // A digest is no credential: only the token that it was made from opens something.
    signIns: signIns.map((signIn) => ({
      id: toId(signIn.digest),
      method: signIn.method,
      agent: signIn.agent,
      createdAt: signIn.created_at,
      seenAt: signIn.seen_at,
      isCurrent: session.digest.equals(signIn.digest),
    })),
    recoveryCodes: { left: codesLeft },
  };
}

export async function renameMember(
  prisma: PrismaClient,
  memberId: string,
  name: string,
): Promise<void> {
  await prisma.member.update({ where: { id: memberId }, data: { name } });
}

export async function renamePasskey(
  prisma: PrismaClient,
  memberId: string,
  id: string,
  name: string,
): Promise<void> {
  const { count } = await prisma.passkey.updateMany({
    where: { member_id: memberId, credential_id: Buffer.from(id, "base64url") },
    data: { name },
  });
  if (count === 0) throw new Failure("not_found", "Passkey not found");
}

/** `least` is how many must stay. */
export async function removePasskey(
  pool: Pool,
  { memberId, id, least }: { memberId: string; id: string; least: number },
): Promise<void> {
  const credentialId = Buffer.from(id, "base64url");
  const [outcome] = await removeStoredPasskey(pool, { memberId, credentialId, least });
  if (!outcome?.known) throw new Failure("not_found", "Passkey not found");
  if (outcome.removed === 0) {
    throw new Failure("passkey_last", "The last passkey cannot be removed; add another one first");
  }
}

/** One sign-in of the member, or all but the present one. */
export async function endSignIns(
  prisma: PrismaClient,
  { session }: SignIn,
  which: { id: string } | "others",
  now: Date,
): Promise<void> {
  const digest =
    which === "others"
      ? { not: new Uint8Array(session.digest) }
      : Buffer.from(which.id, "base64url");
  await prisma.memberSession.updateMany({
    where: { member_id: session.memberId, digest, ended_at: null },
    data: { ended_at: now },
  });
}
