// What every page has: a policy that lets it load from this server alone, and no methods but GET and HEAD.
import { Failure } from "@pay/failures";
import type { Express, Request, Response } from "express";
import helmet, { type HelmetOptions } from "helmet";

type Policy = Exclude<NonNullable<HelmetOptions["contentSecurityPolicy"]>, boolean>;

/** The headers of a page; the directives are those in which it differs. */
export function secured(
  directives: Policy["directives"],
  headers: Pick<HelmetOptions, "crossOriginOpenerPolicy" | "referrerPolicy"> = {},
): ReturnType<typeof helmet> {
  return helmet({
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
        ...directives,
      },
    },
    // Every answer has this header already, where it applies.
    strictTransportSecurity: false,
    ...headers,
  });
}

export function rejectOtherMethods(app: Express, path: string): void {
  app.all(path, (_request: Request, response: Response) => {
    response.setHeader("Allow", "GET, HEAD");
    throw new Failure("method_not_allowed", "Method not allowed");
  });
}
