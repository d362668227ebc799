// What every page has: a policy that lets it load from this server alone, and no methods but GET and HEAD.
import { Failure } from "@pay/failures";
import type { Express, Request, RequestHandler, Response } from "express";
import helmet, { type HelmetOptions } from "helmet";

type Policy = Exclude<NonNullable<HelmetOptions["contentSecurityPolicy"]>, boolean>;

/** No page needs these features of a browser, nor does a script that comes into one. */
const PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=()";

/** Where browsers report what the policy kept from loading; some know the older directive alone. */
export const REPORTS_PATH = "/reports";
const REPORTS_TO = `policy="${REPORTS_PATH}"`;

/** The headers of a page; the directives are those in which it differs. */
export function secured(
  directives: Policy["directives"],
  headers: Pick<HelmetOptions, "crossOriginOpenerPolicy" | "referrerPolicy"> = {},
): RequestHandler {
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        imgSrc: ["'self'", "data:"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        trustedTypes: ["'none'"],
        reportTo: "policy",
        reportUri: REPORTS_PATH,
        ...directives,
      },
    },
    // Every answer has this header already, where it applies.
    strictTransportSecurity: false,
    ...headers,
  });
  return (request, response, next) => {
    response.setHeader("Permissions-Policy", PERMISSIONS);
    response.setHeader("Reporting-Endpoints", REPORTS_TO);
    setHeaders(request, response, next);
  };
}

export function rejectOtherMethods(app: Express, path: string): void {
  app.all(path, (_request: Request, response: Response) => {
    response.setHeader("Allow", "GET, HEAD");
    throw new Failure("method_not_allowed", "Method not allowed");
  });
}
