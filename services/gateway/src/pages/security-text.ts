// Where a fault of security is reported, in the form of RFC 9116.
import type { Clock } from "@pay/process";
import type { Express } from "express";
import { rejectOtherMethods } from "./secured.ts";

const PATH = "/.well-known/security.txt";
/** It is made anew for each request, so that it never expires while the service runs. */
const VALID_MS = 30 * 24 * 60 * 60_000;

export function mountSecurityText(
  app: Express,
  { contact, publicUrl, clock }: { contact: string; publicUrl: string; clock: Clock },
): void {
  app.get(PATH, (_request, response) => {
    response.locals.route = PATH;
    const expires = new Date(clock.now().getTime() + VALID_MS).toISOString();
    const lines = [
      `Contact: ${contact}`,
      `Expires: ${expires}`,
      ...(URL.canParse(publicUrl) ? [`Canonical: ${new URL(PATH, publicUrl)}`] : []),
    ];
    response.type("text/plain").send(`${lines.join("\n")}\n`);
  });
  rejectOtherMethods(app, PATH);
}
