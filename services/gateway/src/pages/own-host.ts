// Where the dashboard has a host of its own, it is at no other, and pages of payments are not there: what goes wrong on
// a page for shoppers never reaches the sign-in of a member.
import { Failure } from "@pay/failures";
import type { Express, NextFunction, Request, Response } from "express";

const DASHBOARD = /^\/dashboard(?:\/|$)/;
/** The preview of the branding shows a logo and no payment. */
const PAYMENT = /^\/pay\/(?!files\/|logos\/|preview(?:\/|$))/;

export function keepHostsApart(app: Express, ownHost: string): void {
  app.use(({ path, headers }: Request, _response: Response, next: NextFunction): void => {
    const isOwn = headers.host === ownHost;
    if (isOwn ? PAYMENT.test(path) : DASHBOARD.test(path)) {
      throw new Failure("route_not_found", "Not found");
    }
    next();
  });
}
