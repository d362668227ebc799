// What an operation says of itself in sentences: which keys may call it, and what a shopper's session changes.
import type { z } from "zod";
import { UNRESTRICTED_LIVE } from "../../keys/caller.ts";
import type { Route } from "../../pipeline/route.ts";
import { toJsonSchema } from "./json-schema.ts";

/** Empty where there is nothing to say. */
export function buildNotes(route: Route): string {
  const notes = [scopeNote(route), ...fieldNotes(route), sessionNote(route), shownNote(route)];
  return notes.filter(Boolean).join(" ");
}

function scopeNote({ scope }: Route): string {
  return scope === undefined ? "" : `A restricted key needs the scope ${scope}.`;
}

function fieldNotes({ needs = {} }: Route): string[] {
  return Object.entries(needs).map(([field, need]) =>
    need === UNRESTRICTED_LIVE
      ? `${field} needs an ${need}.`
      : `A restricted key needs the scope ${need} for ${field}.`,
  );
}

function sessionNote({ body, session }: Route): string {
  if (session === undefined) return "";
  const needed = requiredIn(session.body ?? body);
  const optional = requiredIn(body).filter((name) => !needed.includes(name));
  const note = "With a customer session it covers the customer's own resources only";
  return optional.length === 0 ? `${note}.` : `${note}; ${optional.join(", ")} is optional.`;
}

function shownNote({ query, session }: Route): string {
  if (session === undefined || query?.shape.expand === undefined) return "";
  const { shown = [] } = session;
  return shown.length === 0
    ? "expand is not available to a customer session."
    : `With a customer session expand takes ${shown.join(", ")}.`;
}

function requiredIn(body: z.ZodType | undefined): string[] {
  return (body && (toJsonSchema(body, "input").required as string[] | undefined)) ?? [];
}
