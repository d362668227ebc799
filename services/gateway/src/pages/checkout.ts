// The page on which shoppers pay, as its build has left it: read once at the start, sent compressed. Its address holds
// the payment's id alone; the client secret stays behind the # in the browser.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Failure } from "@pay/failures";
import { isId } from "@pay/values";
import type { Express, Request, Response } from "express";
import { rejectOtherMethods, secured } from "./secured.ts";

const PAGE_HEADERS = secured(
  { requireTrustedTypesFor: ["'script'"] },
  {
    // Wallets that open a window of their own have to reach the page again.
    crossOriginOpenerPolicy: { policy: "same-origin-allow-popups" },
    referrerPolicy: { policy: "no-referrer" },
  },
);

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  woff2: "font/woff2",
};

/** The best first. */
const ENCODINGS = ["br", "gz"] as const;
type Encoding = (typeof ENCODINGS)[number];
const ACCEPTED_AS: Record<Encoding, string> = { br: "br", gz: "gzip" };

/** By the path as Express reads it: as logs and metrics name it, without the code that opens the payment. */
const PAGES: Readonly<Record<string, string>> = {
  "/pay/:id": "/pay/{id}",
  "/pay/:id/h/:code": "/pay/{id}/h/{code}",
};

interface PageFile {
  type: string;
  plain: Buffer;
  compressed: Record<Encoding, Buffer>;
}

interface Checkout {
  page: PageFile;
  files: ReadonlyMap<string, PageFile>;
}

function readCheckout(): Checkout {
  const require = createRequire(import.meta.url);
  const dist = join(dirname(require.resolve("@pay/checkout/package.json")), "dist");
  const names = JSON.parse(readFileSync(join(dist, "manifest.json"), "utf8")) as string[];
  function read(name: string): PageFile {
    return {
      type: TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
      plain: readFileSync(join(dist, name)),
      compressed: {
        br: readFileSync(join(dist, `${name}.br`)),
        gz: readFileSync(join(dist, `${name}.gz`)),
      },
    };
  }

  return { page: read("page.html"), files: new Map(names.map((name) => [name, read(name)])) };
}

function send(request: Request, response: Response, file: PageFile): void {
  const encoding = ENCODINGS.find((name) => request.acceptsEncodings(ACCEPTED_AS[name]));
  response.setHeader("Content-Type", file.type);
  response.setHeader("Vary", "Accept-Encoding");
  if (encoding !== undefined) response.setHeader("Content-Encoding", ACCEPTED_AS[encoding]);
  response.end(encoding === undefined ? file.plain : file.compressed[encoding]);
}

export function mountCheckout(app: Express): void {
  const { page, files } = readCheckout();
  app.get("/pay/files/:name", PAGE_HEADERS, (request: Request, response: Response) => {
    response.locals.route = "/pay/files/{name}";
    const file = files.get(request.params.name as string);
    if (file === undefined) throw new Failure("route_not_found", "Not found");
    response.setHeader("Cache-Control", "public, max-age=31536000, immutable");
    send(request, response, file);
  });
  // The code of a hand-off is used by the page's script: what only looks at the link, e.g. to show a preview, uses
  // nothing.
  for (const [path, named] of Object.entries(PAGES)) {
    app.get(path, PAGE_HEADERS, (request: Request, response: Response) => {
      response.locals.route = named;
      if (!isId("pay", request.params.id as string))
        throw new Failure("route_not_found", "Not found");
      send(request, response, page);
    });
  }
  for (const path of ["/pay/files/:name", ...Object.keys(PAGES)]) rejectOtherMethods(app, path);
}
