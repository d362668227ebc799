// The page on which shoppers pay. Its address holds the payment's id alone; the client secret stays behind the # in the
// browser.
import { createRequire } from "node:module";
import { Failure } from "@pay/failures";
import { isId } from "@pay/values";
import type { Express, Request, Response } from "express";
import { mountFiles, readBuiltPages, sendFile } from "./built-page.ts";
import { rejectOtherMethods, secured } from "./secured.ts";

const require = createRequire(import.meta.url);

const POLICY = { requireTrustedTypesFor: ["'script'"] };

const PAGE_HEADERS = secured(POLICY, {
  // Wallets that open a window of their own have to reach the page again.
  crossOriginOpenerPolicy: { policy: "same-origin-allow-popups" },
  referrerPolicy: { policy: "no-referrer" },
});

/** Framed by the dashboard, which sends the design of a shop. The page sends nothing to anyone. */
const PREVIEW = "/pay/preview";
const PREVIEW_HEADERS = secured({
  ...POLICY,
  connectSrc: ["'none'"],
  frameAncestors: ["'self'"],
});

/** By the path as Express reads it: as logs and metrics name it, without the code that opens the payment. */
const PAGES: Readonly<Record<string, string>> = {
  "/pay/:id": "/pay/{id}",
  "/pay/:id/h/:code": "/pay/{id}/h/{code}",
};

export function mountCheckout(app: Express, { hasPreview }: { hasPreview: boolean }): void {
  const { readPage, files } = readBuiltPages(require.resolve("@pay/checkout/package.json"));
  const page = readPage("page.html");
  mountFiles(app, "/pay/files", { files, headers: PAGE_HEADERS });
  if (hasPreview) {
    app.get(PREVIEW, PREVIEW_HEADERS, (request: Request, response: Response) => {
      response.locals.route = PREVIEW;
      sendFile(request, response, page);
    });
    rejectOtherMethods(app, PREVIEW);
  }
  // The code of a hand-off is used by the page's script: what only looks at the link, e.g. to show a preview, uses
  // nothing.
  for (const [path, named] of Object.entries(PAGES)) {
    app.get(path, PAGE_HEADERS, (request: Request, response: Response) => {
      response.locals.route = named;
      if (!isId("pay", request.params.id as string))
        throw new Failure("route_not_found", "Not found");
      sendFile(request, response, page);
    });
    rejectOtherMethods(app, path);
  }
}
