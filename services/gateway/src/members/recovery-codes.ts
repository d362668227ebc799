// Codes by which a member who has lost every passkey comes to add one. Shown once; digests are stored.
import { randomBytes } from "node:crypto";
import type { Queryable } from "@pay/database";
import { newSecret } from "@pay/values";
import * as sql from "../generated/sql.ts";
import { listDigests, toDigest } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";
import { SESSION_PREFIX } from "./sign-ins.ts";

const CODES = 10;
const GROUPS = 4;
const GROUP_LENGTH = 4;
/** 32 characters, none of which looks like another. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

function newCode(): string {
  const characters = [...randomBytes(GROUPS * GROUP_LENGTH)].map((byte) => ALPHABET[byte % 32]);
  const groups = Array.from({ length: GROUPS }, (_, group) =>
    characters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH).join(""),
  );
  return groups.join("-");
}

/** As people write it down: capitals, spaces and hyphens do not count. */
function toText(code: string): string {
  return `recovery ${code.toLowerCase().replace(/[^0-9a-z]/g, "")}`;
}

/** New codes, which replace those of before. */
export async function replaceRecoveryCodes(
  db: Queryable,
  memberId: string,
  { peppers, now }: { peppers: Peppers; now: Date },
): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  const digests = codes.map((code) => toDigest(toText(code), peppers[0]));
  await sql.replaceRecoveryCodes(db, { memberId, digests, now });
  return codes;
}

/** The member, and the token of the sign-in that the code opens; undefined where it opens nothing. */
export async function signInByRecoveryCode(
  db: Queryable,
  { code, ...by }: { email: string; code: string; agent: string | null },
  { peppers, now }: { peppers: Peppers; now: Date },
): Promise<{ memberId: string; name: string; email: string; token: string } | undefined> {
  const token = newSecret(SESSION_PREFIX);
  const [opened] = await sql.signInByRecoveryCode(db, {
    ...by,
    codeDigests: listDigests(toText(code), peppers),
    digest: toDigest(token, peppers[0]),
    now,
  });
  if (opened === undefined) return undefined;
  const { member_id: memberId, name, email } = opened;
  return { memberId, name, email, token };
}
