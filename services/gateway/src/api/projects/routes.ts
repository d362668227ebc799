import { Failure } from "@pay/failures";
import { forwardSecretOnce } from "../../idempotency/forwarded-call.ts";
import { UNRESTRICTED_LIVE } from "../../keys/caller.ts";
import { requireMembers } from "../../notices/targets.ts";
import { route } from "../../pipeline/route.ts";
import { checkLogoUrl, readLogo } from "../../projects/logo/read-logo.ts";
import { deleteReplacedLogo, findLogoUrl, saveLogo } from "../../projects/logo/storage.ts";
import { saveProject } from "../../projects/save-project.ts";
import { findProject } from "../../projects/storage.ts";
import { checkedSettings } from "./issuer.ts";
import {
  callableUrl,
  checkedNotices,
  checkMode,
  pickBranding,
  projectExpansion,
  projectSettings,
} from "./request.ts";
import { projectShape, renderProject, renderSavedProject, savedProjectShape } from "./response.ts";
import { toScreening } from "./screening.ts";

const projects = { auth: "secret", tag: "Projects", limit: "standard", success: 200 } as const;

export const readProjectRoute = route({
  ...projects,
  scope: "projects:read",
  summary: "Read the calling project",
  query: projectExpansion,
  response: projectShape,
  handle: async ({ caller, query }, { prisma, pool, clock, publicUrl }) => {
    const project = await findProject(prisma, caller.projectId);
    if (project === undefined) throw new Failure("project_not_found", "Project not found");
    const logoUrl = query.expand?.includes("logoUrl")
      ? await findLogoUrl(pool, { projectId: project.id, publicUrl })
      : null;
    const seen = { ...project, logoUrl, mode: caller.mode, now: clock.now() };
    return renderProject(seen, query.expand);
  },
});

export const changeProjectRoute = route({
  ...projects,
  scope: "projects:write",
  summary: "Change the calling project; absent fields stay",
  audit: { ofKeys: true, own: true },
  example: {
    request: {
      name: "Mug shop",
      branding: { primaryColor: "#1A73E8" },
      allowedOrigins: ["https://shop.example"],
      callbackUrl: "https://shop.example/webhooks",
    },
  },
  needs: {
    allowedOrigins: UNRESTRICTED_LIVE,
    payoutWallets: UNRESTRICTED_LIVE,
    wallets: UNRESTRICTED_LIVE,
    unnamedTransfers: UNRESTRICTED_LIVE,
    reference: UNRESTRICTED_LIVE,
    depositAddresses: UNRESTRICTED_LIVE,
    screening: UNRESTRICTED_LIVE,
    sso: UNRESTRICTED_LIVE,
    notices: UNRESTRICTED_LIVE,
    callbackUrl: "webhooks:write",
  },
  body: projectSettings,
  repeatable: true,
  response: savedProjectShape,
  failures: ["live_key_required", "endpoint_unavailable", "state_contended"],
  handle: async (call, deps) => {
    const { body, caller } = call;
    checkMode(caller, body);
    const { branding: _, allowedOrigins, payoutWallets, wallets, ...rest } = body;
    const brandingConfig = pickBranding(body);
    const callbackUrl = callableUrl(deps.callbackPolicy, body.callbackUrl);
    const logoUrl = brandingConfig?.logoUrl;
    const named = body.branding === undefined ? "brandingConfig" : "branding";
    const logoAt = logoUrl && checkLogoUrl(deps.callbackPolicy, named, logoUrl);
    const sso = body.sso && checkedSettings(deps.callbackPolicy, body.sso);
    const notices = checkedNotices(deps.callbackPolicy, body.notices);
    if (notices) await requireMembers(deps.pool, caller.projectId, notices);
    const screening = body.screening && toScreening(deps.callbackPolicy, body.screening);
    async function write() {
      const lists = {
        allowedOrigins: allowedOrigins === null ? [] : allowedOrigins,
        payoutWallets: payoutWallets === null ? [] : payoutWallets,
        wallets: wallets === null ? [] : wallets,
      };
      const change = { ...rest, ...lists, brandingConfig, callbackUrl, sso, notices, screening };
      const { image, warning } = logoAt ? await readLogo(deps.egress, logoAt) : {};
      const { project, ...shown } = await saveProject(deps, call, change);
      if (image && logoUrl)
        await saveLogo(deps.pool, { projectId: project.id, sourceUrl: logoUrl }, image);
      else if (brandingConfig !== undefined) await deleteReplacedLogo(deps.pool, project.id);
      if (notices) deps.notices.wake();
      if (warning !== undefined) call.reply("X-Service-Warning", warning);
      const seen = { ...project, ...shown, mode: caller.mode, now: deps.clock.now() };
      return renderSavedProject(seen, wallets !== undefined);
    }

    return forwardSecretOnce(deps, call, { write });
  },
});
