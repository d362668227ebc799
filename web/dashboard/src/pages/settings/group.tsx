// A group of settings: it is saved by itself.
import type { ReactNode } from "react";
import { FieldFault, FormFault } from "../../parts/field-fault.tsx";
import { Unsaved } from "../../parts/unsaved.tsx";
import type { useForm } from "../../parts/use-form.ts";

export type Form<Values extends Readonly<Record<string, string>>> = ReturnType<
  typeof useForm<Values>
>;

export function Group({
  title,
  about,
  form: { isChanged, isSaving, isSaved, error, submit, discard },
  fields,
  canWrite,
  children,
}: {
  title: string;
  about: string;
  form: Omit<Form<Record<string, string>>, "change" | "saved" | "values">;
  /** Names in requests, whose faults stand at their fields. */
  fields: readonly string[];
  canWrite: boolean;
  children: ReactNode;
}) {
  return (
    <section className="section" aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      <p className="quiet gap-2">{about}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <fieldset className="form plain" disabled={!canWrite}>
          {children}
        </fieldset>
        <FormFault error={error} fields={fields} />
        {canWrite && (
          <div className="row">
            <button
              type="submit"
              className={isChanged ? "button primary" : "button"}
              disabled={!isChanged || isSaving}
            >
              Save<span className="hidden-text"> {title.toLowerCase()}</span>
            </button>
            {isChanged && (
              <button type="button" className="button" disabled={isSaving} onClick={discard}>
                Discard
              </button>
            )}
            <span className="small" role="status">
              {isSaved && !isChanged && "Saved"}
            </span>
          </div>
        )}
      </form>
      <Unsaved isChanged={isChanged} />
    </section>
  );
}

/** A list as lines of a text, so that it can be pasted. */
export function Lines<Name extends string>({
  form: { values, change, error },
  name,
  label,
  tip,
}: {
  form: Pick<Form<Record<Name, string>>, "values" | "change" | "error">;
  name: Name;
  label: string;
  tip: string;
}) {
  return (
    <label>
      {label}
      <textarea
        className="field mono"
        name={name}
        rows={Math.max(3, splitLines(values[name]).length + 1)}
        spellCheck={false}
        value={values[name]}
        onChange={(event) => change(name, event.target.value)}
      />
      <span className="tip">{tip}</span>
      <FieldFault error={error} field={name} label={label} />
    </label>
  );
}

export function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** A list with what the form has added and removed, whatever a colleague did to it meanwhile. */
export function mergeLines(
  now: readonly string[],
  { before, after }: { before: readonly string[]; after: readonly string[] },
): string[] {
  if (now.join("\n") === before.join("\n")) return [...new Set(after)];
  const kept = now.filter((line) => !before.includes(line) || after.includes(line));
  return [...new Set([...kept, ...after.filter((line) => !before.includes(line))])];
}
