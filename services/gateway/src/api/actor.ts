import { isId } from "@pay/values";
import { z } from "zod";
import { OPERATOR } from "../keys/storage.ts";
import { KEY_ID } from "./example-values.ts";
import * as shown from "./field-values.ts";

const ACTOR_TYPES = ["key", "member", "operator", "shopper"] as const;

export const actorShape = z
  .strictObject({
    type: shown.choice(ACTOR_TYPES, "Kind of caller; `shopper` has no key.", "key"),
    id: shown.stringOrNull("Id of the key or of the member; null without one.", KEY_ID),
    name: shown.stringOrNull("Name that the key or the member has now."),
  })
  .meta({ id: "Actor" });

export function renderActor(
  actor: string | null,
  name: string | null,
): z.output<typeof actorShape> {
  if (actor === null) return { type: "shopper", id: null, name: null };
  if (actor === OPERATOR) return { type: "operator", id: null, name: null };
  return { type: isId("mem", actor) ? "member" : "key", id: actor, name };
}
