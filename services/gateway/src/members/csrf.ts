// A page of the dashboard proves with this token that it is one: other pages can send the cookie and cannot read this.
import { timingSafeEqual } from "node:crypto";
import { Failure } from "@pay/failures";
import { listDigests, toDigest } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";

function toText(token: string): string {
  return `csrf ${token}`;
}

/** It belongs to the sign-in, so it needs no row of its own. */
export function createCsrfToken(token: string, peppers: Peppers): string {
  return toDigest(toText(token), peppers[0]).toString("base64url");
}

export function checkCsrfToken(
  given: string | string[] | undefined,
  token: string,
  peppers: Peppers,
): void {
  const digest = Buffer.from(typeof given === "string" ? given : "", "base64url");
  const isRight = listDigests(toText(token), peppers).some(
    (one) => one.length === digest.length && timingSafeEqual(one, digest),
  );
  if (!isRight) throw new Failure("csrf_token_invalid", "X-CSRF-Token is missing or wrong");
}
