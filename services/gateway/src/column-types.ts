import type { ScreeningPolicy, UnnamedTransfers } from "@pay/values";
import type { KeyMode, KeyType, RefundLimit } from "./keys/caller.ts";
import type { DefaultWallets } from "./projects/default-wallets.ts";

/** Types of columns that the database knows as text or JSON. */
export interface ColumnTypes {
  "api_keys.type": KeyType;
  "api_keys.mode": KeyMode;
  "projects.unnamed_transfers": UnnamedTransfers;
  "projects.variant": "primary" | "b";
  "projects.wallets": DefaultWallets;
  "projects.screening": ScreeningPolicy;
  "memberships.refund_limits": RefundLimit[];
  "invitations.refund_limits": RefundLimit[];
  "sessions.mode": KeyMode;
  "member_sessions.method": "link" | "passkey";
}
