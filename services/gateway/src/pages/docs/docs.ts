// The documentation: pages without scripts, made once when they are first asked for, and sent compressed.
import { gzipSync } from "node:zlib";
import { FAILURES, Failure, type FailureCode, isRetryable, toRestError } from "@pay/failures";
import type { Express, Request, Response } from "express";
import { CAUSES } from "../../api/openapi/causes.ts";
import { openApiDocument } from "../../api/openapi/document.ts";
import { findOffered } from "../../api/openapi/routes.ts";
import { ROUTES } from "../../api/table.ts";
import type { Deps } from "../../pipeline/deps.ts";
import { escapeHtml } from "../html.ts";
import { rejectOtherMethods, secured } from "../secured.ts";
import { HTML, MARK, renderIcon, renderShell } from "../site.ts";
import { type Page, renderReference } from "./reference.ts";

const PAGE_HEADERS = secured({ scriptSrc: ["'none'"] });
const TEXT = "text/plain; charset=utf-8";

type Parts = Pick<Deps, "publicUrl" | "catalog">;

export function mountDocs(app: Express, shell: string, { publicUrl, catalog }: Parts): void {
  async function reference() {
    const described = ROUTES.filter(({ auth }) => auth !== "none");
    const document = openApiDocument(described, publicUrl, await findOffered(catalog));
    return renderPage(shell, "/docs", renderReference(document));
  }

  serve(app, "/docs", HTML, reference);
  serve(app, "/docs/errors", HTML, async () => renderPage(shell, "/docs/errors", renderErrors()));
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

const PAGES = { "/docs": "API reference", "/docs/errors": "Error codes" } as const;

function renderPage(shell: string, path: keyof typeof PAGES, page: Page): string {
  const links = Object.entries(PAGES).map(
    ([address, name]) =>
      `<a href="${address}"${address === path ? ` aria-current="page"` : ""}>${name}</a>`,
  );
  const body = `<header class="docs-top">${MARK}<nav aria-label="Docs">${links.join("")}<a href="/v1/openapi.json">OpenAPI file</a><a class="menu" href="#contents">${renderIcon("menu")}Contents</a></nav>${renderLanguages(page)}</header>
<div class="docs"><nav class="docs-side" id="contents" aria-label="Contents">${page.side}</nav>
<main class="ref${path === "/docs/errors" ? " errors" : ""}"><h1>${escapeHtml(page.title)}</h1><p class="lead">${page.lead}</p>${page.body}</main></div>`;
  return renderShell(shell, `${page.title} · Pay`, body);
}

function renderLanguages({ languages }: Page): string {
  if (languages.length === 0) return "";
  const choices = languages.map(
    (language, at) =>
      `<label><input type="radio" name="language" id="language-${at}"${at === 0 ? " checked" : ""}>${language}</label>`,
  );
  return `<fieldset class="languages"><legend class="hidden-text">Language of the samples</legend>${choices.join("")}</fieldset>`;
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

/** The codes of each status, in the order of the statuses. */
function renderErrors(): Page {
  const codes = (Object.keys(FAILURES) as FailureCode[]).filter((code) => CAUSES[code]);
  const groups = new Map<string, FailureCode[]>();
  for (const code of codes) {
    const { statusCode, error } = toRestError(new Failure(code, ""));
    const title = `${statusCode} ${error}`;
    groups.set(title, [...(groups.get(title) ?? []), code]);
  }
  const ordered = [...groups].sort(([one], [other]) => one.localeCompare(other));
  return {
    title: "Error codes",
    lead: `Every error has the body <code>{statusCode, message, error}</code> and its error code in the header
<code>X-Error-Code</code>. Clients handle an unknown code by its status.`,
    languages: [],
    side: ordered
      .map(([title, list]) => {
        const links = list.map((code) => `<a href="#${code}">${code}</a>`);
        return `<h2>${escapeHtml(title)}</h2>${links.join("")}`;
      })
      .join(""),
    body: ordered
      .map(
        ([title, list]) =>
          `<section><h2>${escapeHtml(title)}</h2>${list.map(renderError).join("")}</section>`,
      )
      .join(""),
  };
}

function renderError(code: FailureCode): string {
  const again = isRetryable(code)
    ? "A retry of the same request may succeed."
    : "A retry of the same request fails again.";
  const text = CAUSES[code] ?? "";
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  const cause = escapeHtml(sentence).replace(/`([^`]+)`/g, "<code>$1</code>");
  return `<article id="${code}"><h3>${code}</h3><p>${cause}. ${again}</p></article>`;
}
