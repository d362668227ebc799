// Where browsers report what the policy of a page kept from loading or running. Anybody can write here, so what is
// known is counted, and nothing is kept: the address of a page may hold a code.
import { Failure } from "@pay/failures";
import type { Express, Request, Response } from "express";
import { Counter } from "prom-client";
import { z } from "zod";
import { readReport } from "../http/read-body.ts";
import { REPORTS_PATH } from "./secured.ts";

const REPORTS_MAX = 100;
const DIRECTIVES = [
  "base-uri",
  "connect-src",
  "default-src",
  "font-src",
  "form-action",
  "frame-ancestors",
  "img-src",
  "require-trusted-types-for",
  "script-src",
  "script-src-attr",
  "script-src-elem",
  "style-src",
  "style-src-attr",
  "style-src-elem",
  "trusted-types",
] as const;

const violationsTotal = new Counter({
  name: "page_policy_violations_total",
  help: "What the policy of a page kept from loading or running, as browsers report it",
  labelNames: ["directive"],
});

const directive = z.enum(DIRECTIVES).catch("default-src");
/** Of the Reporting API, and of browsers that have none. */
const reports = z.union([
  z.array(z.object({ body: z.object({ effectiveDirective: directive }) })).max(REPORTS_MAX),
  z.object({ "csp-report": z.object({ "effective-directive": directive }) }),
]);

export function mountReports(app: Express): void {
  app.post(REPORTS_PATH, async (request: Request, response: Response) => {
    response.locals.route = REPORTS_PATH;
    const { data } = reports.safeParse(parse(await readReport(request)));
    if (data === undefined) throw new Failure("body_malformed", "body must be a browser's reports");
    const names = Array.isArray(data)
      ? data.map(({ body }) => body.effectiveDirective)
      : [data["csp-report"]["effective-directive"]];
    for (const name of names) violationsTotal.inc({ directive: name });
    response.status(204).end();
  });
  app.all(REPORTS_PATH, (_request: Request, response: Response) => {
    response.setHeader("Allow", "POST");
    throw new Failure("method_not_allowed", "Method not allowed");
  });
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
