import type { Express, Request, Response } from "express";
import { readAssets } from "./docs-assets.ts";
import { refuseOtherMethods, secured } from "./secured.ts";

const PAGE_HEADERS = secured({
  // Swagger UI sets styles from its script.
  styleSrc: ["'self'", "'unsafe-inline'"],
  fontSrc: ["'self'", "data:"],
});

export function mountDocs(app: Express): void {
  for (const { path, type, content } of readAssets()) {
    app.get(path, PAGE_HEADERS, (_request: Request, response: Response) => {
      response.locals.route = "/docs";
      response.setHeader("Content-Type", type);
      response.setHeader("Cache-Control", "public, max-age=3600");
      response.end(content);
    });
    refuseOtherMethods(app, path);
  }
}
