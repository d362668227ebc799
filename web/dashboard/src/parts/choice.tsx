// Fields of forms that choose among known values.
import { useState } from "react";

/** Everything, or some of it; an empty choice cannot be sent. */
export function AllOrSome({
  name,
  values,
  begin,
  allLabel,
  someLabel,
  className = "scopes",
}: {
  name: string;
  values: readonly string[];
  /** None: everything. */
  begin: readonly string[];
  /** Absent where everything cannot be chosen. */
  allLabel?: string | undefined;
  someLabel: string;
  className?: string;
}) {
  const [isAll, setAll] = useState(allLabel !== undefined && begin.length === 0);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(begin));
  function choose(value: string, isChosen: boolean) {
    setChosen(new Set(values.filter((one) => (one === value ? isChosen : chosen.has(one)))));
  }

  return (
    <>
      {allLabel !== undefined && (
        <label className="choice">
          <input
            type="checkbox"
            name="all"
            checked={isAll}
            onChange={(event) => setAll(event.target.checked)}
          />
          {allLabel}
        </label>
      )}
      {!isAll && (
        <fieldset className={className}>
          <legend>{someLabel}</legend>
          {values.map((value) => (
            <label key={value} className="choice">
              <input
                type="checkbox"
                name={name}
                value={value}
                checked={chosen.has(value)}
                // None at all would mean everything.
                required={chosen.size === 0}
                onChange={(event) => choose(value, event.target.checked)}
              />
              <span className="mono">{value}</span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}

export function Options({
  of,
}: {
  of: readonly (readonly [value: string | number, word: string])[];
}) {
  return of.map(([value, word]) => (
    <option key={value} value={value}>
      {word}
    </option>
  ));
}
