import type { Payment } from "@pay/proto";
import type { z } from "zod";
import type { Deps } from "../../pipeline/deps.ts";
import type { Call } from "../../pipeline/route.ts";
import type { Owner } from "../../sessions/ownership.ts";
import { renderPage } from "../page.ts";
import { loadRelations, needsClientSecret } from "./relations.ts";
import { chosenVariant, type paymentExpansion, type paymentFilters, toFilter } from "./request.ts";
import { renderItem, renderRead } from "./response.ts";

type Part = Pick<Deps, "publicUrl">;

/** With an owner only the owner's payments. */
export async function listPayments(
  call: Call<z.output<typeof paymentFilters>>,
  deps: Part,
  owner?: Owner,
): Promise<object> {
  const { query, services } = call;
  const variant = chosenVariant(call);
  const answer = await services.payments.listPayments({
    ...toFilter(query),
    variant,
    owner,
    withClientSecret: needsClientSecret(call),
  });
  const relations = await loadRelations(call, deps, answer.payments);
  const items = answer.payments.map((payment, at) => ({
    ...renderItem(payment, query.expand),
    ...relations[at],
  }));
  return renderPage(call, answer, items);
}

export async function showPayment(
  call: Call<z.output<typeof paymentExpansion>>,
  deps: Part,
  payment: Payment,
): Promise<object> {
  const [relations] = await loadRelations(call, deps, [payment]);
  return { ...renderRead(payment, call.query.expand), ...relations };
}
