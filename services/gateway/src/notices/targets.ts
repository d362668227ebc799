import { Failure } from "@pay/failures";
import type { Pool } from "pg";
import { countMembersByEmail } from "../generated/sql.ts";
import type { Notice } from "../projects/storage.ts";

/** The url or the address that a notice goes to. */
export function getTarget({ url, email }: Pick<Notice, "url" | "email">): string {
  return url ?? email ?? "";
}

/** Addresses of mail are those of members, so that no stranger gets mails in the operator's name. */
export async function requireMembers(
  pool: Pool,
  projectId: string,
  notices: readonly Notice[],
): Promise<void> {
  const emails = notices.flatMap(({ email }) => email ?? []);
  if (emails.length === 0) return;
  const [found] = await countMembersByEmail(pool, { projectId, emails });
  if (found?.count === emails.length) return;
  throw new Failure("field_invalid", "notices must have e-mail addresses of members");
}
