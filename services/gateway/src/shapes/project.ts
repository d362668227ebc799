import { z } from "zod";
import type { Project } from "../projects/storage.ts";
import { ssoShape } from "../sso/settings.ts";
import { pick, shapeOf } from "./shape.ts";

const FIELDS = {
  id: { schema: z.string(), of: (p: Project) => p.id },
  name: { schema: z.string(), of: (p: Project) => p.name },
  callbackUrl: { schema: z.string().nullable(), of: (p: Project) => p.callback_url },
  allowedOrigins: { schema: z.array(z.string()), of: (p: Project) => p.allowed_origins },
  brandingConfig: {
    schema: z.record(z.string(), z.unknown()).nullable(),
    of: (p: Project) => p.branding_config,
  },
  sso: {
    schema: ssoShape.nullable(),
    // The database keeps the fields in an order of its own.
    of: ({ sso }: Project) =>
      sso && { issuer: sso.issuer, audience: sso.audience, jwksUrl: sso.jwksUrl },
  },
};

const READ = ["id", "name", "callbackUrl", "allowedOrigins", "brandingConfig"];
const SAVED = ["id", "name", "callbackUrl"];

/** What an answer shows besides, when it is asked for. */
export const PROJECT_EXTRAS = ["sso"] as const;

export const renderProject = (project: Project, extras: readonly string[] = []) =>
  pick(FIELDS, READ, project, extras);
export const renderSavedProject = (project: Project) => pick(FIELDS, SAVED, project);
export const projectShape = shapeOf(FIELDS, READ, PROJECT_EXTRAS);
export const savedProjectShape = shapeOf(FIELDS, SAVED);
