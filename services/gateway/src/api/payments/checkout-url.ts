import type { Payment } from "@pay/proto";
import type { Deps } from "../../pipeline/deps.ts";

/** Where the shopper pays. What is behind the # stays in the browser: no server and no log sees it. */
export function checkoutUrl(
  { publicUrl }: Pick<Deps, "publicUrl">,
  { id, clientSecret }: Payment,
): string {
  return `${buildPageUrl(publicUrl, id)}#${clientSecret}`;
}

/** The same for another browser: links to wallets keep nothing but the path, so the code is a part of it. */
export function handoffUrl(
  { publicUrl }: Pick<Deps, "publicUrl">,
  id: string,
  code: string,
): string {
  return `${buildPageUrl(publicUrl, id)}/h/${code}`;
}

function buildPageUrl(publicUrl: string, id: string): string {
  return `${publicUrl.replace(/\/$/, "")}/pay/${id}`;
}
