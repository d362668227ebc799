// How members sign in to the dashboard and out of it. A link is used up by a press of a button, so a program that
// only looks at the address, e.g. to show a preview, uses nothing.

import { createRequire } from "node:module";
import { transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Express, NextFunction, Request, Response } from "express";
import { sendJson } from "../http/respond.ts";
import { formatCookie, isSameOrigin } from "../members/cookie.ts";
import { createCsrfToken } from "../members/csrf.ts";
import type { OidcProvider } from "../members/oidc-provider.ts";
import { getRoleScopes, toScopesField } from "../members/roles.ts";
import { SESSION_MAX_MS, SESSION_PREFIX } from "../members/sign-ins.ts";
import { endMemberSession, listMemberships, signInByLink } from "../members/storage.ts";
import { mountAccount } from "./account.ts";
import { readBuiltPages, sendFile } from "./built-page.ts";
import { mountInvitations } from "./invitation.ts";
import { createMemberRequests, type Needed, readAgent } from "./member-requests.ts";
import { mountOidc } from "./oidc.ts";
import { mountPasskeys } from "./passkeys.ts";
import { mountSavedViews } from "./saved-views.ts";
import { secured } from "./secured.ts";

const LINK_PATH = "/dashboard/link/:token";
const HEADERS = secured(
  { formAction: ["'self'"], scriptSrc: ["'none'"], connectSrc: ["'none'"] },
  { referrerPolicy: { policy: "no-referrer" } },
);

const require = createRequire(import.meta.url);

export function mountSignIn(app: Express, deps: Needed & { oidc: OidcProvider | undefined }): void {
  const { dashboard, prisma, peppers, memberMails, clock } = deps;

  const requests = createMemberRequests(app, deps);
  const { readSignIn, findSignIn, readWriter } = requests;

  const linkPage = readBuiltPages(require.resolve("@pay/dashboard/package.json")).readPage(
    "link.html",
  );
  app.use("/dashboard", sendToOrigin(dashboard.origin));

  app.get(LINK_PATH, HEADERS, (request: Request, response: Response) => {
    response.locals.route = "/dashboard/link/{token}";
    sendFile(request, response, linkPage);
  });

  app.post(LINK_PATH, async (request: Request, response: Response) => {
    response.locals.route = "/dashboard/link/{token}";
    // Another page must not sign a browser in as somebody else.
    if (!isSameOrigin(request.headers, dashboard)) throw linkInvalid();
    const by = { peppers, prefix: SESSION_PREFIX, now: clock.now(), agent: readAgent(request) };
    const opened = await transaction(deps.pool, async (tx) => {
      const signIn = await signInByLink(tx, request.params.token as string, by);
      const { recovered } = signIn ?? {};
      if (recovered)
        await memberMails?.announceRecovery(tx, { ...recovered, way: "a one-time link" });
      return signIn;
    });
    if (opened === undefined) throw linkInvalid();
    if (opened.recovered) memberMails?.wake();
    response.setHeader("Set-Cookie", formatCookie(dashboard, opened.token, SESSION_MAX_MS / 1_000));
    const isTest = new URL(request.url, "http://gateway").searchParams.get("mode") === "test";
    response.setHeader("Location", isTest ? "/dashboard?mode=test" : "/dashboard");
    response.status(303).end();
  });

  mountPasskeys(requests, deps);
  mountAccount(requests, deps);
  mountInvitations(app, requests, deps);
  mountSavedViews(requests, deps);

  if (deps.oidc !== undefined) mountOidc(app, requests, deps, deps.oidc);

  const methods = { passkey: dashboard.origin !== undefined, oidc: deps.oidc?.name ?? null };

  // The sign-in page asks this before there is a sign-in, so a missing one is no error here.
  app.get("/dashboard/sign-in/methods", async (request: Request, response: Response) => {
    response.locals.route = "/dashboard/sign-in/methods";
    const signedIn = (await findSignIn(request))?.needsPasskey === false;
    sendJson(response, 200, { signedIn, methods }, deps.stopping);
  });

  app.get("/dashboard/session", async (request: Request, response: Response) => {
    response.locals.route = "/dashboard/session";
    const { token, session, needsPasskey } = await readSignIn(request);
    const memberships = needsPasskey ? [] : await listMemberships(prisma, session.memberId);
    const shown = {
      member: { id: session.memberId, name: session.name, email: session.email },
      csrfToken: createCsrfToken(token, peppers),
      memberships: memberships.map(
        ({ project_id, project, live_role, test_role, refund_limits }) => {
          const own = new Map(project.roles.map(({ name, scopes }) => [name, scopes]));
          return {
            projectId: project_id,
            projectName: project.name,
            liveScopes: toScopesField(getRoleScopes(live_role, "live", own)),
            testScopes: toScopesField(getRoleScopes(test_role, "test", own)),
            liveRole: live_role,
            testRole: test_role,
            refundLimits: refund_limits,
            // Who can give a member the right that a page lacks.
            owners: project.memberships.map(({ member }) => member.name),
          };
        },
      ),
      methods,
      needsPasskey,
      hasPasskey: (await prisma.passkey.count({ where: { member_id: session.memberId } })) > 0,
      confirmedAt: session.confirmedAt?.toISOString() ?? null,
    };
    sendJson(response, 200, shown, deps.stopping);
  });

  app.post("/dashboard/sign-out", async (request: Request, response: Response) => {
    response.locals.route = "/dashboard/sign-out";
    const { session } = await readWriter(request);
    await endMemberSession(prisma, session.digest, clock.now());
    deps.signIns.forgetMember(session.memberId);
    response.setHeader("Set-Cookie", formatCookie(dashboard, "", 0));
    response.status(204).end();
  });
}

function linkInvalid(): Failure {
  return new Failure("link_invalid", "This link is invalid, used or expired");
}

/** On one machine the pages have one name, because a cookie of another would not be found. */
function sendToOrigin(origin: string | undefined) {
  const host = origin === undefined ? undefined : new URL(origin).host;
  const bare = host?.replace(/^localhost/, "127.0.0.1");
  return (request: Request, response: Response, next: NextFunction): void => {
    const isElsewhere = host !== bare && request.headers.host === bare;
    if (!isElsewhere || request.method !== "GET") return void next();
    response.setHeader("Location", `${origin}${request.originalUrl}`);
    response.status(307).end();
  };
}
