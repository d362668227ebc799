import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import { present } from "../service-answers.ts";
import { type Authority, repeatedBy, spelledOut } from "./authority.ts";
import { renderChanged } from "./response.ts";

export function extendPayment(
  call: Call,
  deps: Pick<Deps, "pool">,
  authority: Authority,
): Promise<object> {
  const { params, services } = call;
  async function write() {
    const asked = { id: params.id, ...spelledOut(authority.proof) };
    return renderChanged(present((await services.payments.extendPayment(asked)).payment));
  }

  return forwardOnce(deps, call, { write, ...repeatedBy(authority) });
}
