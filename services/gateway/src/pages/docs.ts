import { Failure } from "@pay/failures";
import type { Express, Request, Response } from "express";
import helmet from "helmet";
import { readAssets } from "./docs-assets.ts";

const secured = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      // Swagger UI sets styles from its script.
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", "data:"],
      fontSrc: ["'self'", "data:"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  // Every answer has this header already, where it applies.
  strictTransportSecurity: false,
});

export function mountDocs(app: Express): void {
  for (const { path, type, content } of readAssets()) {
    app.get(path, secured, (_request: Request, response: Response) => {
      response.locals.route = "/docs";
      response.setHeader("Content-Type", type);
      response.setHeader("Cache-Control", "public, max-age=3600");
      response.end(content);
    });
    app.all(path, (_request: Request, response: Response) => {
      response.setHeader("Allow", "GET, HEAD");
      throw new Failure("method_not_allowed", "Method not allowed");
    });
  }
}
