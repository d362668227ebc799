import type { Egress, Policy } from "@pay/egress";
import type { Clock, Log } from "@pay/process";
import type { Pool } from "pg";
import type { PrismaClient } from "../generated/prisma/client.ts";
import type { SealedResponses } from "../idempotency/sealed-responses.ts";
import type { Authenticator } from "../keys/authenticate.ts";
import type { Peppers } from "../keys/pepper.ts";
import type { DashboardSite } from "../members/cookie.ts";
import type { MemberMails } from "../members/mails.ts";
import type { SignIns } from "../members/sign-ins.ts";
import type { FindShop } from "../projects/shop-profile.ts";
import type { RequestQueue } from "../request-logs/queue.ts";
import type { ConnectedServices } from "../services/services.ts";
import type { Shoppers } from "../sessions/customer-sessions.ts";
import type { VerifyToken } from "../sessions/verify-token.ts";
import type { EventStreams } from "../streams/event-streams.ts";
import type { Streams } from "../streams/streams.ts";

/** The parts that routes use; built once, in start.ts. */
export interface Deps extends ConnectedServices {
  pool: Pool;
  prisma: PrismaClient;
  /** Secrets under which keys are digested. */
  peppers: Peppers;
  sealedResponses: SealedResponses;
  authenticator: Authenticator;
  /** Finds the member of a sign-in. */
  signIns: SignIns;
  dashboard: DashboardSite;
  /** Mails to members, where there is a mail server and the installation says where it is reached. */
  memberMails: MemberMails | undefined;
  /** Finds the shopper of a session. */
  shoppers: Shoppers;
  /** Verifies a token of a project's issuer and reads its subject. */
  verifyToken: VerifyToken;
  /** A project as its shoppers see it. */
  findShop: FindShop;
  /** Which addresses of merchants the service calls. */
  callbackPolicy: Policy;
  /** Reads addresses that merchants name; the policy of outgoing calls judges each. */
  egress: Pick<Egress, "getBytes">;
  /** How long a change of a project's default wallets waits. */
  walletDelayMs: number;
  /** The day until which Variant B is served at least, where the operator promises one. */
  variantBSunset: string | undefined;
  /** Where merchants reach the service. */
  publicUrl: string;
  /** Pages that follow a payment. */
  streams: Streams;
  /** Receivers that follow a project's events. */
  eventStreams: EventStreams;
  relay: { wake(): void };
  /** Notices of what waits for a person. */
  notices: { wake(): void };
  requestLog: Pick<RequestQueue, "note">;
  clock: Clock;
  log: Log;
  /** Aborted when the process begins to stop. */
  stopping: AbortSignal;
}
