import { z } from "zod";
import type { Project } from "../projects/storage.ts";
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
};

const READ = ["id", "name", "callbackUrl", "allowedOrigins", "brandingConfig"];
const SAVED = ["id", "name", "callbackUrl"];

export const renderProject = (project: Project) => pick(FIELDS, READ, project);
export const renderSavedProject = (project: Project) => pick(FIELDS, SAVED, project);
export const projectShape = shapeOf(FIELDS, READ);
export const savedProjectShape = shapeOf(FIELDS, SAVED);
