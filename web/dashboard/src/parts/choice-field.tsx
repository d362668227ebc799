// A choice of a form over saved values, with what the service said of it.
import type { ReactNode } from "react";
import { Options } from "./choice.tsx";
import { FieldFault } from "./field-fault.tsx";
import type { useForm } from "./use-form.ts";

export function ChoiceField<Name extends string>({
  form: { values, change, error },
  name,
  field = name,
  label,
  of,
  children,
}: {
  form: Pick<ReturnType<typeof useForm<Record<Name, string>>>, "values" | "change" | "error">;
  name: Name;
  /** Its name in requests, where that is another. */
  field?: string;
  label: string;
  of: readonly (readonly [value: string, word: string])[];
  /** Stands below it. */
  children?: ReactNode;
}) {
  return (
    <label>
      {label}
      <select
        className="field"
        name={name}
        value={values[name]}
        onChange={(event) => change(name, event.target.value)}
      >
        <Options of={of} />
      </select>
      {children}
      <FieldFault error={error} field={field} label="The choice" />
    </label>
  );
}
