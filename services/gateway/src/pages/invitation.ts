// The page behind the link of an invitation. Opening it accepts nothing: the button does.
import { createRequire } from "node:module";
import { Failure } from "@pay/failures";
import type { Express, Request, Response } from "express";
import { z } from "zod";
import * as field from "../api/fields.ts";
import { readForm } from "../http/read-body.ts";
import { formatCookie, isSameOrigin } from "../members/cookie.ts";
import { acceptInvitation, findInvitation, type Invitation } from "../members/invitations.ts";
import { SESSION_MAX_MS } from "../members/sign-ins.ts";
import { createFaults } from "../pipeline/validate.ts";
import { readBuiltPages } from "./built-page.ts";
import { escapeHtml } from "./html.ts";
import { type MemberRequests, type Needed, readAgent, type Signed } from "./member-requests.ts";
import { secured } from "./secured.ts";
import { HTML } from "./site.ts";

const PATH = "/dashboard/invitation/:token";
const HEADERS = secured(
  { formAction: ["'self'"], scriptSrc: ["'none'"], connectSrc: ["'none'"] },
  { referrerPolicy: { policy: "no-referrer" } },
);

const require = createRequire(import.meta.url);
const newcomer = z.object({ name: field.name(100) });

export function mountInvitations(
  app: Express,
  { findSignIn }: MemberRequests,
  { pool, peppers, signIns, dashboard, clock }: Needed,
): void {
  const pages = readBuiltPages(require.resolve("@pay/dashboard/package.json"));
  const page = pages.readPage("invitation.html").plain.toString("utf8");

  async function find({ params }: Request): Promise<Invitation> {
    const by = { peppers, now: clock.now() };
    const invitation = await findInvitation(pool, params.token as string, by);
    if (invitation === undefined) throw invitationInvalid();
    return invitation;
  }

  /** The member whom the invitation is for, where signed in. */
  async function findInvitee(request: Request, { email }: Invitation): Promise<Signed | undefined> {
    const signed = await findSignIn(request);
    return signed?.session.email === email && !signed.needsPasskey ? signed : undefined;
  }

  app.get(PATH, HEADERS, async (request: Request, response: Response) => {
    response.locals.route = "/dashboard/invitation/{token}";
    const invitation = await find(request);
    const invitee = await findInvitee(request, invitation);
    const body = renderBody(invitation, { isSignedIn: invitee !== undefined, path: request.path });
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Type", HTML);
    response.end(page.replace("{body}", () => body));
  });

  app.post(PATH, async (request: Request, response: Response) => {
    response.locals.route = "/dashboard/invitation/{token}";
    if (!isSameOrigin(request.headers, dashboard)) throw invitationInvalid();
    const invitation = await find(request);
    const invitee = await findInvitee(request, invitation);
    if (invitee === undefined && invitation.is_known) throw signInFirst(invitation);
    const acceptance = {
      link: request.params.token as string,
      memberId: invitee?.session.memberId ?? null,
      name: invitee?.session.name ?? (await readName(request)),
      agent: readAgent(request),
    };
    const joined = await acceptInvitation(pool, acceptance, { peppers, now: clock.now() });
    if (joined === undefined) throw invitationInvalid();
    signIns.forgetMember(joined.memberId);
    if (invitee === undefined) {
      const cookie = formatCookie(dashboard, joined.token, SESSION_MAX_MS / 1_000);
      response.setHeader("Set-Cookie", cookie);
    }
    response.setHeader("Location", `/dashboard/?project=${joined.projectId}`);
    response.status(303).end();
  });
}

async function readName(request: Request): Promise<string> {
  const faults = createFaults();
  const fields = faults.read(newcomer, Object.fromEntries(await readForm(request)), "body");
  faults.throwIfAny();
  return fields.name;
}

function renderBody(
  { project_name, inviter_name, email, is_known }: Invitation,
  { isSignedIn, path }: { isSignedIn: boolean; path: string },
): string {
  const project = escapeHtml(project_name);
  const by = inviter_name === null ? "You are invited" : `${escapeHtml(inviter_name)} invites you`;
  const intro = `<div><h1>Join ${project}</h1><p class="small">${by} as ${escapeHtml(email)}.</p></div>`;
  const button = `<button type="submit" class="button primary large">Join ${project}</button>`;
  if (isSignedIn) return `${intro}<form method="post">${button}</form>`;
  if (is_known) {
    const next = encodeURIComponent(path);
    return `${intro}<a class="button primary large" href="/dashboard/sign-in?next=${next}">Sign in to join</a>
      <p class="small">This address has an account. Sign in with its passkey, and the invitation opens again.</p>`;
  }
  return `${intro}<form method="post">
      <label>Your name <input class="field" name="name" required maxlength="100" autocomplete="name"></label>
      ${button}
    </form>
    <p class="small">Next you add a passkey, with which this device signs you in from then on.</p>`;
}

function invitationInvalid(): Failure {
  return new Failure("link_invalid", "This invitation is invalid, accepted or expired");
}

function signInFirst({ email }: Invitation): Failure {
  return new Failure("link_invalid", `Sign in as ${email} first, then open the invitation again`);
}
