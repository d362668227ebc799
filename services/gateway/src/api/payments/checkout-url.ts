import type { Payment } from "@pay/proto";
import type { Deps } from "../../pipeline/deps.ts";

/** Where the shopper pays. What is behind the # stays in the browser: no server and no log sees it. */
export function checkoutUrl(
  { publicUrl }: Pick<Deps, "publicUrl">,
  { id, clientSecret }: Payment,
): string {
  return `${publicUrl.replace(/\/$/, "")}/pay/${id}#${clientSecret}`;
}
