// The documentation: pages without scripts, made once when they are first asked for, and sent compressed.
import { gzipSync } from "node:zlib";
import { FAILURES, Failure, type FailureCode, isRetryable, toRestError } from "@pay/failures";
import type { Express, Request, Response } from "express";
import { CAUSES } from "../../api/openapi/causes.ts";
import { openApiDocument } from "../../api/openapi/document.ts";
import { findOffered } from "../../api/openapi/routes.ts";
import { ROUTES } from "../../api/table.ts";
import type { Deps } from "../../pipeline/deps.ts";
import { rejectOtherMethods, secured } from "../secured.ts";
import { escapeHtml, type Page, renderReference } from "./reference.ts";

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

/** A section for every error code. */
function renderErrors(): Page {
  const codes = (Object.keys(FAILURES) as FailureCode[]).filter((code) => CAUSES[code]);
  const sections = codes.map((code) => {
    const failure = new Failure(code, "");
    const { statusCode, error } = toRestError(failure);
    const again = isRetryable(code)
      ? "A retry of the same request may succeed."
      : "A retry of the same request fails again.";
    const cause = escapeHtml(CAUSES[code]).replace(/`([^`]+)`/g, "<code>$1</code>");
    return `<article id="${code}"><h2><code>${code}</code></h2>
<p>${statusCode} ${error}: ${cause}. ${again}</p></article>`;
  });
  return {
    title: "Errors",
    body: `<p>Every error has the body <code>{statusCode, message, error}</code> and its error code in the header
<code>X-Error-Code</code>. Clients handle an unknown code by its status.</p>${sections.join("")}`,
  };
}

const STYLE = `:root { color-scheme: light dark; --line: light-dark(#ccd, #445); --soft: light-dark(#f4f5f8, #23252c); --link: light-dark(#0b57d0, #a8c7fa) }
* { box-sizing: border-box }
body { max-width: 52rem; margin: 0 auto; padding: 1rem; font: 1rem/1.6 system-ui, sans-serif; background: Canvas; color: CanvasText }
a { color: var(--link) }
header a { display: inline-block; min-height: 1.75rem; font-weight: 600 }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
pre { padding: 0.75rem; background: var(--soft); border-radius: 0.5rem; white-space: pre-wrap }
h2 { margin-top: 3rem }
article { border-top: 1px solid var(--line); padding-top: 0.5rem; margin-top: 2rem; content-visibility: auto; contain-intrinsic-size: auto 60rem }
h4 { margin: 1.25rem 0 0.25rem }
.path { margin: 0 }
dl { margin: 0 }
dt { margin-top: 0.5rem }
dt span { opacity: 0.85 }
dd { margin: 0 0 0 1rem }
.contents, .codes { padding-left: 1rem }
.contents ul { padding-left: 1rem }
.contents li, .codes li { list-style: none }
.contents a, .codes a, summary { display: inline-block; min-height: 1.75rem }
summary { display: list-item }
summary { cursor: pointer }
`;
