// A text of a form over saved values, with what the service said of it.
import type { ComponentProps, ReactNode } from "react";
import { FieldFault } from "./field-fault.tsx";
import type { useForm } from "./use-form.ts";

export function TextField<Name extends string>({
  form: { values, change, error },
  name,
  field = name,
  label,
  children,
  ...input
}: Omit<ComponentProps<"input">, "form"> & {
  form: Pick<ReturnType<typeof useForm<Record<Name, string>>>, "values" | "change" | "error">;
  name: Name;
  /** Its name in requests, where that is another. */
  field?: string;
  label: string;
  /** Stands below it. */
  children?: ReactNode;
}) {
  return (
    <label>
      {label}
      <input
        className="field"
        autoComplete="off"
        {...input}
        name={name}
        value={values[name]}
        onChange={(event) => change(name, event.target.value)}
      />
      {children}
      <FieldFault error={error} field={field} label={label} />
    </label>
  );
}
