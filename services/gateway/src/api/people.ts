// Members and keys as answers name them.
import { isId } from "@pay/values";
import { z } from "zod";
import { IDS } from "./example-values.ts";
import * as shown from "./field-values.ts";

export interface People {
  /** Names of keys and members, as they are now. */
  names: ReadonlyMap<string, string | null>;
}

const personShape = z
  .strictObject({
    id: shown.string("Id of the member or of the key.", IDS.mem),
    name: shown.stringOrNull("Name that it has now.", "Ane"),
  })
  .meta({ id: "Person" });

export function personOrNull(description: string) {
  return personShape.nullable().describe(description);
}

export function renderPerson(id: string | null, { names }: People) {
  return id === null ? null : { id, name: names.get(id) ?? null };
}

/** Whose names an answer needs. */
export function listPeopleIn(ids: readonly (string | null)[]): { actor: string }[] {
  return ids
    .filter((id) => id !== null && (isId("mem", id) || isId("key", id)))
    .map((actor) => ({ actor: actor as string }));
}
