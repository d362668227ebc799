// The documentation: pages without scripts, made once when they are first asked for, and sent compressed.
import { gzipSync } from "node:zlib";
import type { Express, Request, Response } from "express";
import { openApiDocument } from "../../api/openapi/document.ts";
import { findOffered } from "../../api/openapi/routes.ts";
import { ROUTES } from "../../api/table.ts";
import type { Deps } from "../../pipeline/deps.ts";
import { rejectOtherMethods, secured } from "../secured.ts";
import { renderErrors } from "./errors-page.ts";
import { escapeHtml, type Page, renderReference } from "./reference.ts";
import { STYLE } from "./style.ts";

const PAGE_HEADERS = secured({ scriptSrc: ["'none'"] });
const HTML = "text/html; charset=utf-8";
const CSS = "text/css; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";

type Parts = Pick<Deps, "publicUrl" | "catalog">;

export function mountDocs(app: Express, { publicUrl, catalog }: Parts): void {
  async function reference() {
    const described = ROUTES.filter(({ auth }) => auth !== "none");
    const document = openApiDocument(described, publicUrl, await findOffered(catalog));
    return renderPage(renderReference(document));
  }

  serve(app, "/docs", HTML, reference);
  serve(app, "/docs/errors", HTML, async () => renderPage(renderErrors()));
  serve(app, "/docs/docs.css", CSS, async () => STYLE);
  serve(app, "/llms.txt", TEXT, async () => GUIDE);
}

function serve(app: Express, path: string, type: string, make: () => Promise<string>): void {
  let made: Promise<{ plain: Buffer; compressed: Buffer }> | undefined;
  async function content() {
    const plain = Buffer.from(await make());
    return { plain, compressed: gzipSync(plain) };
  }

  app.get(path, PAGE_HEADERS, async (request: Request, response: Response) => {
    made ??= content();
    const { plain, compressed } = await made;
    response.locals.route = path;
    response.setHeader("Content-Type", type);
    response.setHeader("Cache-Control", "public, max-age=3600");
    response.setHeader("Vary", "Accept-Encoding");
    const isCompressed = request.acceptsEncodings("gzip") === "gzip";
    if (isCompressed) response.setHeader("Content-Encoding", "gzip");
    response.end(isCompressed ? compressed : plain);
  });
  rejectOtherMethods(app, path);
}

function renderPage({ title, body }: Page): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)} · Payment service</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/docs.css">
  </head>
  <body>
    <header><a href="/">Payment service</a></header>
    <main><h1>${escapeHtml(title)}</h1>${body}</main>
  </body>
</html>
`;
}

/** A list of all pages for language models. */
const GUIDE = `# Payment service

> Accepts payments on EVM chains over REST. A merchant's server creates a payment with its secret key, a shopper pays it,
> the service proves the transfer on the chain and sends a signed webhook. It holds no money.

- [Reference](/docs): every request and answer
- [OpenAPI 3.1](/v1/openapi.json): the same for tools
- [Errors](/docs/errors): every code of X-Error-Code, what it means and whether to try again

Rules: amounts are decimal strings and never numbers; send Idempotency-Key with every POST; fulfil an order on the webhook
payment.confirmed, once, after its signature is verified and amount, currency and chainId are compared with the order.
`;
