// The first page: what the product is, whether it runs, and the doors to every other page.
import type { Chain } from "@pay/proto";
import type { Express, Request, Response } from "express";
import type { Deps } from "../pipeline/deps.ts";
import { escapeHtml } from "./html.ts";
import { rejectOtherMethods, secured } from "./secured.ts";
import { HTML, MARK, renderIcon, renderShell } from "./site.ts";

const PAGE_HEADERS = secured({ scriptSrc: ["'none'"], connectSrc: ["'none'"] });
const CHAINS_SHOWN = 3;

/** Where each door leads, and who goes there for what. */
const DOORS = [
  {
    path: "/docs",
    icon: "book",
    name: "API reference",
    text: "Every request with its fields, samples in six languages and a real response.",
  },
  {
    path: "/docs/errors",
    icon: "warning",
    name: "Error codes",
    text: "The cause of each error code, and whether a retry helps.",
  },
  {
    path: "/v1/openapi.json",
    icon: "braces",
    name: "OpenAPI file",
    text: "OpenAPI 3.1, for client generators and request tools.",
  },
] as const;

const DASHBOARD = {
  icon: "dashboard",
  name: "Dashboard",
  text: "Payments of the shop, and what became of each. For everyone in the shop.",
} as const;

const PROOFS = [
  [
    "Your wallet, from the first second",
    "The shopper pays your address. This service holds none of your money, so it cannot lose it.",
  ],
  [
    "Every verdict has its evidence",
    "Why a payment counts, or does not: the rule, the transaction and the block.",
  ],
  [
    "No money without a word",
    "Part, late, doubled or in the wrong token: you and the shopper see the same, and what to do.",
  ],
] as const;

interface Parts extends Pick<Deps, "catalog"> {
  /** Where the dashboard is; undefined where there is none. */
  dashboardUrl: string | undefined;
}

export function mountHome(app: Express, shell: string, { catalog, dashboardUrl }: Parts): void {
  app.get("/", PAGE_HEADERS, async (_request: Request, response: Response) => {
    response.locals.route = "/";
    response.setHeader("Content-Type", HTML);
    response.setHeader("Cache-Control", "no-cache");
    const runs = await renderRuns(catalog);
    response.end(renderHome(shell, { runs, dashboardUrl }));
  });
  rejectOtherMethods(app, "/");
}

/** Whoever sees the page sees that the gateway runs; the chains are read by another service. */
async function renderRuns(catalog: Deps["catalog"]): Promise<string> {
  const chains = await catalog.chains().catch(() => undefined);
  if (chains === undefined) {
    return `<span><span class="dot heed"></span>The chains are not reachable</span>`;
  }
  const more = chains.length - CHAINS_SHOWN;
  return [
    `<span><span class="dot good"></span>Running</span>`,
    ...chains.slice(0, CHAINS_SHOWN).map((chain) => `<span>${renderChain(chain)}</span>`),
    ...(more > 0 ? [`<span>${more} more chains</span>`] : []),
  ].join("");
}

function renderChain({ name, headNumber }: Chain): string {
  const head = headNumber === undefined ? "" : `, block ${headNumber.toLocaleString("en")}`;
  return escapeHtml(name) + head;
}

function renderStep(text: string, time: string): string {
  return `<p class="step-line">${renderIcon("check")}${text}<time>${time}</time></p>`;
}

function renderHome(
  shell: string,
  { runs, dashboardUrl }: { runs: string; dashboardUrl: string | undefined },
): string {
  const open =
    dashboardUrl === undefined ? DOORS : [{ ...DASHBOARD, path: dashboardUrl }, ...DOORS];
  const doors = open.map(
    ({ path, icon, name, text }) =>
      `<a href="${path}">${renderIcon(icon)}<b>${name}</b><p>${text}</p></a>`,
  );
  const proofs = PROOFS.map(([title, text]) => `<div><h2>${title}</h2><p>${text}</p></div>`);
  const signIn =
    dashboardUrl === undefined
      ? ""
      : `<a class="button" href="${dashboardUrl}/sign-in">Sign in</a>`;
  const body = `<div class="front">
<header class="front-top">${MARK}<nav aria-label="Main"><a href="/docs">API reference</a><a href="/docs/errors">Error codes</a>${signIn}</nav></header>
<main>
<section class="hero"><div><h1>Get paid on chain. Keep the keys.</h1>
<p class="lead">Stablecoin and coin payments that go straight to your own wallet. This service watches the chain, proves what arrived, and tells your shop.</p>
<div class="go"><a class="button primary large" href="/docs">API reference</a><a class="button large" href="/v1/openapi.json">OpenAPI file</a></div>
<p class="runs">${runs}</p></div>
<div class="stage" aria-hidden="true"><div class="slip"><div class="row"><span class="sum">24.00 <span>USDC</span></span><span class="status good push">${renderIcon("check")}Confirmed</span></div>
${renderStep("Sent from 0x8f3C…21bA", "14:29:02")}${renderStep("Arrived in block 24,118,004", "14:29:04")}${renderStep("Deep enough, 5 of 5 blocks", "14:29:14")}</div>
<div class="code"><pre><span class="q">// your shop, a moment later</span>
<span class="n">X-Service-Event</span>: <span class="s">payment.confirmed</span>
<span class="n">X-Service-Event-Id</span>: <span class="s">evt_0VcBN1k2…</span>
{ <span class="n">"id"</span>: <span class="s">"pay_0VcBN1k2…"</span>, <span class="n">"orderId"</span>: <span class="s">"10481"</span> }</pre></div></div></section>
<nav class="doors" aria-label="Where to go">${doors.join("")}</nav>
<section class="proofs">${proofs.join("")}</section>
</main>
<footer class="front-foot"><a href="/docs/errors">Error codes</a><a href="/v1/openapi.json">openapi.json</a><a href="/llms.txt">llms.txt</a><span class="end">Apache-2.0 · self-hosted</span></footer>
</div>`;
  return renderShell(shell, "Pay: payments on EVM chains, straight to your wallet", body);
}
