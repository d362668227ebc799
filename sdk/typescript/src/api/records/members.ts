// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Role } from "./roles.ts";

export interface MemberList {
  /** Members and open invitations, oldest first. */
  data: Array<Member>;
  /** Built-in roles, then those of the project. */
  roles: Array<Role>;
}

export interface Member {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** E-mail address. */
  email: string;
  /** Name; null before the invitation is accepted. */
  name: string | null;
  /** Role in live mode; null for none. */
  liveRole: string | null;
  /** Role in test mode; null for none. */
  testRole: string | null;
  /** What the member may refund although the role may not, to wallets that paid. */
  refundLimits: Array<{
    /** Chain id. */
    chainId: number;
    /** `native`, or the contract address of a token. */
    currency: string;
    /** Sum of a day (UTC) in whole units, as a decimal string. */
    perDay: string;
  }>;
  /** Id of the member or key that invited, or `operator`. */
  invitedBy: string;
  /** Time of creation. */
  createdAt: string;
  /** Time until which the invitation can be accepted; null for a member. */
  expiresAt: string | null;
  /** Whether the member has a passkey. */
  hasPasskey: boolean;
  /** Time of the last use of the dashboard; null before it. */
  lastSeenAt: string | null;
  /** Time at which the mail server took the link; null where it did not. */
  mailedAt: string | null;
  /** Link of a new invitation, returned once; null otherwise. */
  link: string | null;
}
