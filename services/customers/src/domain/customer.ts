import { isDeepStrictEqual } from "node:util";
import { checksumAddress, isAddress, newId } from "@pay/money";

/** The fields are the columns, so a row needs no translation. */
export interface Customer {
  id: string;
  project_id: string;
  mode: number;
  wallet_address: string;
  email: string | null;
  display_name: string | null;
  metadata_json: string | null;
  created_at: Date;
  updated_at: Date;
  version: number;
}

/** What a merchant says about a new customer. */
export interface Introduction {
  walletAddress: string;
  email?: string | undefined;
  displayName?: string | undefined;
  metadataJson?: string | undefined;
}

/** What an update may replace; an absent field stays. */
export type Replacement = Pick<Introduction, "displayName" | "metadataJson">;

/** Undefined when the wallet is no address. */
export const newCustomer = (
  tenant: { projectId: string; mode: number },
  introduction: Introduction,
  now: Date,
): Customer | undefined => {
  if (!isAddress(introduction.walletAddress)) return undefined;
  return {
    id: newId("cust"),
    project_id: tenant.projectId,
    mode: tenant.mode,
    wallet_address: checksumAddress(introduction.walletAddress),
    email: introduction.email ?? null,
    display_name: introduction.displayName?.normalize("NFC") ?? null,
    metadata_json: introduction.metadataJson ?? null,
    created_at: now,
    updated_at: now,
    version: 1,
  };
};

/** The customer with its fields replaced, or undefined when every value stays what it was. */
export const replaced = (
  customer: Customer,
  { displayName, metadataJson }: Replacement,
  now: Date,
): Customer | undefined => {
  const name = displayName?.normalize("NFC") ?? customer.display_name;
  const newName = name !== customer.display_name;
  const newMetadata =
    metadataJson !== undefined && !isSameJson(metadataJson, customer.metadata_json);
  if (!newName && !newMetadata) return undefined;
  return {
    ...customer,
    display_name: name,
    metadata_json: newMetadata ? metadataJson : customer.metadata_json,
    updated_at: now,
    version: customer.version + 1,
  };
};

// Another order of the keys is another text but no other value.
const isSameJson = (text: string, stored: string | null): boolean =>
  stored !== null && (text === stored || isDeepStrictEqual(JSON.parse(text), JSON.parse(stored)));
