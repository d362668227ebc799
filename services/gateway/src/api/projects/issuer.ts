// The issuer of a project's shoppers, as its owner names it.
import type { Policy } from "@pay/egress";
import { Failure } from "@pay/failures";
import { z } from "zod";
import type { SsoSettings } from "../../projects/storage.ts";
import { buildRule } from "../field-rules.ts";
import * as field from "../fields.ts";

const AUDIENCE_LENGTH_MAX = 255;

export const ssoFields = z.strictObject(
  {
    issuer: z
      .string(buildRule("be an https URL"))
      .describe("URL of the trusted identity provider."),
    audience: field
      .reference(AUDIENCE_LENGTH_MAX)
      .describe("Value of `aud` in tokens for this project."),
    jwksUrl: z
      .string(buildRule("be an https URL or null"))
      .nullable()
      .optional()
      .describe("URL of the issuer's keys, for an issuer without a discovery document."),
  },
  buildRule("be an object with issuer, audience and, if wanted, jwksUrl, or null"),
);

/** The settings as they are stored, if we may call the addresses they name. */
export function checkedSettings(
  policy: Policy,
  { issuer, audience, jwksUrl = null }: z.output<typeof ssoFields>,
): SsoSettings {
  refuseIf("sso.issuer", policy.check(issuer).refused);
  if (issuer.includes("?")) refuseIf("sso.issuer", "must not contain a query");
  if (jwksUrl !== null) refuseIf("sso.jwksUrl", policy.check(jwksUrl).refused);
  return { issuer, audience, jwksUrl };
}

function refuseIf(name: string, refused: string | undefined): void {
  if (refused !== undefined) throw new Failure("field_invalid", `${name} ${refused}`);
}
