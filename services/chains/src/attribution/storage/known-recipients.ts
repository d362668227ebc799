// Where money of a tenant arrives. Rows are only added, so transfers stay visible to their tenant.
import type { Queryable } from "@pay/database";
import type { Address, ChainId, Currency } from "@pay/values";
import * as sql from "../../generated/sql.ts";

export interface KnownRecipient {
  projectId: string;
  mode: number;
  chainId: ChainId;
  recipient: Address;
  currency: Currency;
  /** Undefined: from anyone. */
  sender: Address | undefined;
  since: Date;
}

export async function insertKnownRecipients(
  db: Queryable,
  known: readonly KnownRecipient[],
): Promise<void> {
  if (known.length === 0) return;
  const recipients = known.map((one) => ({
    project_id: one.projectId,
    mode: one.mode,
    chain_id: one.chainId,
    recipient: one.recipient,
    currency: one.currency,
    sender: one.sender ?? "",
    known_since: one.since,
  }));
  await sql.storeKnownRecipients(db, { recipients });
}
