import type { Policy } from "@pay/egress";
// Whom a project trusts to say who its shoppers are: an OpenID Connect issuer, and the name under which the issuer
// addresses tokens to this project.
import { Failure } from "@pay/rpc";
import { z } from "zod";
import * as field from "../fields.ts";
import { must } from "../validate.ts";

export interface SsoSettings {
  /** Compared letter by letter with the tokens' own, so it is kept as it was written. */
  issuer: string;
  audience: string;
  /** Where the issuer's keys are; null: where its discovery document says. */
  jwksUrl: string | null;
}

const AUDIENCE_LENGTH_MAX = 255;

export const ssoFields = z.strictObject(
  {
    issuer: z.string(must("be an https URL")),
    audience: field.reference(AUDIENCE_LENGTH_MAX),
    jwksUrl: z.string(must("be an https URL or null")).nullable().optional(),
  },
  must("be an object with issuer, audience and, if wanted, jwksUrl, or null"),
);

export const ssoShape = z.strictObject({
  issuer: z.string(),
  audience: z.string(),
  jwksUrl: z.string().nullable(),
});

/** The settings as they are stored, if we may call the addresses they name. */
export const checkedSettings = (
  policy: Policy,
  { issuer, audience, jwksUrl = null }: z.output<typeof ssoFields>,
): SsoSettings => {
  refuseIf("sso.issuer", policy.check(issuer).refused);
  if (issuer.includes("?")) refuseIf("sso.issuer", "must not contain a query");
  if (jwksUrl !== null) refuseIf("sso.jwksUrl", policy.check(jwksUrl).refused);
  return { issuer, audience, jwksUrl };
};

const refuseIf = (name: string, refused: string | undefined): void => {
  if (refused !== undefined) throw new Failure("invalid_argument", `${name} ${refused}`);
};
