// What the service said of a field, under it. Its message begins with the field's name.
import { ApiError } from "../api/send.ts";
import { ErrorNote } from "./states.tsx";

interface Fault {
  /** Where the field is a list. */
  at: number | undefined;
  rule: string;
}

function findFault(error: Error | undefined, field: string): Fault | undefined {
  if (!(error instanceof ApiError) || error.status >= 500) return undefined;
  for (const fault of error.message.split("; ")) {
    const [name = "", ...rest] = fault.split(" ");
    if (name !== field && !name.startsWith(`${field}.`)) continue;
    const at = /^\.(\d+)/.exec(name.slice(field.length))?.[1];
    return { at: at === undefined ? undefined : Number(at), rule: rest.join(" ") };
  }
  return undefined;
}

export function FieldFault({
  error,
  field,
  label,
  nameItem = (at) => `${label}, line ${at + 1},`,
}: {
  error: Error | undefined;
  field: string;
  label: string;
  nameItem?: (at: number) => string;
}) {
  const fault = findFault(error, field);
  if (fault === undefined) return null;
  return (
    <span className="tip bad" role="alert">
      {fault.at === undefined ? label : nameItem(fault.at)} {fault.rule}
    </span>
  );
}

/** What no field of the form has shown. */
export function FormFault({
  error,
  fields,
}: {
  error: Error | undefined;
  fields: readonly string[];
}) {
  if (error === undefined) return null;
  if (fields.some((field) => findFault(error, field) !== undefined)) return null;
  return <ErrorNote error={error} />;
}
