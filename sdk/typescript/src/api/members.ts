// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions } from "../calls.ts";
import type { Deleted } from "./records/customers.ts";
import type { Member, MemberList } from "./records/members.ts";

export interface MembersCreateBody {
  /** E-mail address. */
  email: string;
  /** Role in live mode. */
  liveRole?: string | null | undefined;
  /** Role in test mode. */
  testRole?: string | null | undefined;
  /** What the member may refund although the role may not, to wallets that paid. */
  refundLimits?: Array<{
    /** Chain id. */
    chainId: number | undefined;
    /** `native` for the chain's coin, or the contract address of a listed token. */
    currency: string;
    /** Sum of a day (UTC) in whole units, as a decimal string. */
    perDay: string;
  }> | null;
}

export interface MembersUpdateBody {
  /** Role in live mode. */
  liveRole?: string | null | undefined;
  /** Role in test mode. */
  testRole?: string | null | undefined;
  /** What the member may refund although the role may not, to wallets that paid. */
  refundLimits?: Array<{
    /** Chain id. */
    chainId: number | undefined;
    /** `native` for the chain's coin, or the contract address of a listed token. */
    currency: string;
    /** Sum of a day (UTC) in whole units, as a decimal string. */
    perDay: string;
  }>;
}

export interface Members {
  /** List the members, open invitations and roles of the project. */
  list(options?: CallOptions): Promise<Answer<MemberList>>;
  /** Invite a person by a link, returned once and mailed where there is a mail server. */
  create(body: MembersCreateBody, options?: CallOptions): Promise<Answer<Member>>;
  /** Change what a member or an invited person may do; absent fields stay. */
  update(id: string, body: MembersUpdateBody, options?: CallOptions): Promise<Answer<Member>>;
  /** Remove a member, or withdraw an invitation. */
  delete(id: string, options?: CallOptions): Promise<Answer<Deleted>>;
}
