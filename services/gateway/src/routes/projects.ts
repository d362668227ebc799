import { Failure } from "@pay/rpc";
import { z } from "zod";
import type { Caller } from "../caller.ts";
import * as field from "../fields.ts";
import { changeProject } from "../projects/change-project.ts";
import { canonicalOrigin } from "../projects/origins.ts";
import { findProject } from "../projects/storage.ts";
import { route } from "../route.ts";
import {
  PROJECT_EXTRAS,
  projectShape,
  renderProject,
  renderSavedProject,
  savedProjectShape,
} from "../shapes/project.ts";
import { checkedSettings, ssoFields } from "../sso/settings.ts";
import { must } from "../validate.ts";

const ORIGINS_MAX = 50;

const originRule = must(
  "be an origin: https://host, https://*.host or http://localhost, with an optional port",
);
const origin = z.string(originRule).transform((value, context) => {
  const canonical = value.length > 255 ? undefined : canonicalOrigin(value);
  if (canonical !== undefined) return canonical;
  context.addIssue({ code: "custom", message: originRule.error({ input: value }) });
  return z.NEVER;
});

const originsRule = must(`be an array of at most ${ORIGINS_MAX} origins`);

const branding = z.strictObject(
  {
    primaryColor: z
      .string(must("be a color in the form #RRGGBB"))
      .regex(/^#[0-9A-Fa-f]{6}$/, must("be a color in the form #RRGGBB"))
      .optional(),
    logoUrl: field.httpsUrl().optional(),
    displayName: field.name(60).optional(),
    theme: field.oneOf(["light", "dark"]).optional(),
    supportUrl: field.httpsUrl().optional(),
  },
  must("be an object with no keys but primaryColor, logoUrl, displayName, theme and supportUrl"),
);

const settings = z.object({
  name: field.name(100).optional(),
  branding: branding.nullable().optional(),
  allowedOrigins: field
    .listUpTo(ORIGINS_MAX, origin, originsRule)
    .meta({ openapi: { type: "array", maxItems: ORIGINS_MAX, items: { type: "string" } } })
    .optional(),
  callbackUrl: z.string(must("be an https URL or null")).nullable().optional(),
  paymentLifetimeMinutes: field.integer(5, 1440).optional(),
  sso: ssoFields.nullable().optional(),
});

const me = {
  path: "/v1/projects/me",
  auth: "secret",
  tag: "Projects",
  limit: "standard",
  success: 200,
} as const;

export const projectRoutes = [
  route({
    ...me,
    method: "GET",
    scope: "projects:read",
    summary: "Read the calling project",
    query: z.object({ expand: field.listOf(PROJECT_EXTRAS).optional() }),
    response: projectShape,
    handle: async ({ caller, query }, { prisma }) => {
      const project = await findProject(prisma, caller.projectId);
      if (project === undefined) throw new Failure("not_found", "Project not found");
      return renderProject(project, query.expand);
    },
  }),
  route({
    ...me,
    method: "PUT",
    scope: "projects:write",
    summary: "Change the calling project; absent fields stay",
    body: settings,
    response: savedProjectShape,
    handle: async ({ body, caller, requestId }, deps) => {
      checkMode(caller, body);
      const { branding: brandingConfig, ...rest } = body;
      const callbackUrl = callableUrl(deps, body.callbackUrl);
      const sso = body.sso && checkedSettings(deps.callbackPolicy, body.sso);
      const change = { ...rest, brandingConfig, callbackUrl, sso };
      return renderSavedProject(await changeProject(deps, caller.projectId, change, requestId));
    },
  }),
];

/** The canonical spelling of an address we may call, now as far as its text tells, and again at every call. */
const callableUrl = (
  {
    callbackPolicy,
  }: {
    callbackPolicy: {
      check(raw: string): { url?: string | undefined; refused?: string | undefined };
    };
  },
  callbackUrl: string | null | undefined,
): string | null | undefined => {
  if (typeof callbackUrl !== "string") return callbackUrl;
  const { url, refused } = callbackPolicy.check(callbackUrl);
  if (url === undefined) throw new Failure("invalid_argument", `callbackUrl ${refused}`);
  return url;
};

/**
 * A project has these once, for both modes: where live events go, whose pages may call, how long payments live, whom
 * shoppers sign in with. Whoever holds but a test key must not change them.
 */
const LIVE_ONLY = ["callbackUrl", "allowedOrigins", "paymentLifetimeMinutes", "sso"] as const;

const checkMode = ({ mode }: Caller, body: z.output<typeof settings>): void => {
  const named = LIVE_ONLY.filter((name) => body[name] !== undefined);
  if (mode === "live" || named.length === 0) return;
  const names = named.join(", ");
  throw new Failure("permission_denied", `${names} can only be changed with a live key`);
};
