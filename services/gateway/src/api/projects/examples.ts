import type { Examples } from "../example-answers.ts";

const project = {
  id: "proj_Qv8sN2xKcW7hRz9L4mYb1fJt",
  name: "Mug shop",
  callbackUrl: "https://shop.example/webhooks",
};
const settings = {
  allowedOrigins: ["https://shop.example"],
  brandingConfig: { primaryColor: "#1A73E8" },
};

export const EXAMPLES: Examples = {
  "GET /v1/projects/me": { response: { ...project, ...settings } },
  "PUT /v1/projects/me": {
    request: {
      name: "Mug shop",
      branding: settings.brandingConfig,
      allowedOrigins: settings.allowedOrigins,
      callbackUrl: project.callbackUrl,
    },
    response: project,
  },
};
