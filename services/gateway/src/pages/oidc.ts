// The way to the identity provider and back. What goes wrong is told by the sign-in page, to which the browser is sent.
import type { Express, Request, Response } from "express";
import { CHALLENGE_MS } from "../members/challenges.ts";
import { formatCookie, readCookie } from "../members/cookie.ts";
import {
  type Aim,
  confirmWith,
  createFlowToken,
  type OpenFlow,
  readFlows,
  signInWith,
} from "../members/oidc.ts";
import { type Identity, isProviderAway, type OidcProvider } from "../members/oidc-provider.ts";
import { SESSION_MAX_MS } from "../members/sign-ins.ts";
import { type MemberRequests, type Needed, readAgent } from "./member-requests.ts";

const SIGN_IN = "/dashboard/sign-in";
const CALLBACK = "/dashboard/sign-in/oidc/callback";
const NEXT_LENGTH_MAX = 1_000;

/** Each has its words on the sign-in page. */
type Fault = "oidc_invalid" | "oidc_unverified" | "oidc_unknown" | "oidc_unavailable";

/** Only an address of the dashboard, so that a link cannot lead elsewhere after the sign-in. */
function readNext(text: string | null): string {
  const fits = text !== null && text.length <= NEXT_LENGTH_MAX;
  return fits && /^\/dashboard(?:[/?]|$)/.test(text) ? text : "/dashboard";
}

/** What the browser is on its way for, and where it goes then. */
interface Way {
  isConfirmation: boolean;
  next: string;
}

function goTo(response: Response, address: string): void {
  response.setHeader("Location", address);
  response.status(303).end();
}

export function mountOidc(
  app: Express,
  { findSignIn }: Pick<MemberRequests, "findSignIn">,
  deps: Needed,
  provider: OidcProvider,
): void {
  const { pool, peppers, signIns, dashboard, clock, log } = deps;
  const { origin } = dashboard;
  if (origin === undefined) return;
  const ownOrigin = origin;
  const flowCookie = { ...dashboard, cookie: `${dashboard.cookie}_oidc` };

  function tell(response: Response, fault: Fault, { isConfirmation, next }: Way): void {
    const way = isConfirmation ? "confirm" : `next=${encodeURIComponent(next)}`;
    goTo(response, `${SIGN_IN}?fault=${fault}&${way}`);
  }

  function note(error: unknown): Fault {
    log.warn({ reason: (error as Error).message }, "a sign-in by the identity provider failed");
    return isProviderAway(error) ? "oidc_unavailable" : "oidc_invalid";
  }

  async function begin(response: Response, aim: Aim, next: string): Promise<void> {
    const by = { peppers, now: clock.now() };
    const token = createFlowToken(by);
    const [flow] = readFlows(token, aim, by);
    if (flow === undefined) throw new Error("a new flow is late");
    try {
      const url = await provider.buildUrl(flow, ownOrigin + CALLBACK);
      const kept = `${token}.${Buffer.from(next).toString("base64url")}`;
      response.setHeader("Set-Cookie", formatCookie(flowCookie, kept, CHALLENGE_MS / 1_000));
      goTo(response, url.href);
    } catch (error) {
      note(error);
      tell(response, "oidc_unavailable", { ...flow, next });
    }
  }

  /** The provider's page led here, so the request is of another site; the state says whose answer it is. */
  async function readSession({ headers }: Request) {
    const token = readCookie(headers, dashboard);
    const found =
      token === undefined ? undefined : await signIns.find(token).catch(() => undefined);
    return found?.session;
  }

  async function signIn(
    request: Request,
    response: Response,
    { identity, flow, next }: { identity: Identity; flow: OpenFlow; next: string },
  ): Promise<void> {
    const by = { peppers, now: clock.now(), agent: readAgent(request) };
    const opened = await signInWith(pool, identity, flow, by);
    if (opened === undefined) {
      const fault = identity.email === null ? "oidc_unverified" : "oidc_unknown";
      return tell(response, fault, { ...flow, next });
    }
    const cookie = formatCookie(dashboard, opened.token, SESSION_MAX_MS / 1_000);
    response.appendHeader("Set-Cookie", cookie);
    goTo(response, next);
  }

  app.get("/dashboard/sign-in/oidc", async (request: Request, response: Response) => {
    response.locals.route = "/dashboard/sign-in/oidc";
    const { searchParams } = new URL(request.url, ownOrigin);
    await begin(response, "sign-in", readNext(searchParams.get("next")));
  });

  app.get("/dashboard/confirm/oidc", async (request: Request, response: Response) => {
    response.locals.route = "/dashboard/confirm/oidc";
    const signed = await findSignIn(request);
    if (signed === undefined) return goTo(response, SIGN_IN);
    await begin(response, `confirm ${signed.session.memberId}`, `${SIGN_IN}?confirmed`);
  });

  app.get(CALLBACK, async (request: Request, response: Response) => {
    response.locals.route = CALLBACK;
    const cameTo = new URL(request.url, ownOrigin);
    const kept = readCookie(request.headers, flowCookie) ?? "";
    const [, token, address = ""] = /^(.+)\.([\w-]*)$/.exec(kept) ?? [];
    const next = readNext(Buffer.from(address, "base64url").toString());
    const session = await readSession(request);
    const by = { peppers, now: clock.now() };
    const aims: Aim[] = ["sign-in", ...(session ? [`confirm ${session.memberId}` as const] : [])];
    const flow = aims
      .flatMap((aim) => readFlows(token, aim, by))
      .find(({ state }) => state === cameTo.searchParams.get("state"));
    response.setHeader("Set-Cookie", formatCookie(flowCookie, "", 0));
    if (flow === undefined) return tell(response, "oidc_invalid", { isConfirmation: false, next });
    let identity: Identity;
    try {
      identity = await provider.readIdentity(flow, cameTo);
    } catch (error) {
      return tell(response, note(error), { ...flow, next });
    }
    if (!flow.isConfirmation) return signIn(request, response, { identity, flow, next });
    const of = { digest: session?.digest ?? Buffer.alloc(0), now: clock.now() };
    const isConfirmed = await confirmWith(pool, identity, flow, of);
    if (!isConfirmed) return tell(response, "oidc_unknown", { ...flow, next });
    if (session !== undefined) signIns.forgetMember(session.memberId);
    goTo(response, next);
  });
}
