import type { Call } from "../route.ts";

/** A message's optional field: there when it was given, absent when not. */
export const given = <K extends string, V>(name: K, value: V | undefined): { [N in K]?: V } =>
  (value === undefined ? {} : { [name]: value }) as { [N in K]?: V };

/** What makes a write repeatable, when the merchant asked for that. */
export const repeatable = (call: Pick<Call, "idempotency">, salt?: string) =>
  given("idempotency", call.idempotency(salt));

export const markReplay = (
  call: Pick<Call, "reply">,
  { replayed }: { replayed: boolean },
): void => {
  if (replayed) call.reply("Idempotent-Replayed", "true");
};

/** The one part of an answer that must be there; its absence is a fault of the service that answered. */
export const present = <T>(part: T | undefined): T => {
  if (part === undefined) throw new Error("a service answered without the resource");
  return part;
};
