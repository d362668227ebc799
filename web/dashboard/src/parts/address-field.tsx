import { useId } from "react";

/** A wallet of the merchant or of a customer; known ones are offered. */
export function AddressField({
  label,
  name,
  tip,
  known = [],
  isOptional = false,
  value,
  change,
}: {
  label: string;
  name: string;
  tip?: string;
  known?: readonly string[];
  isOptional?: boolean;
  value?: string;
  change?: (value: string) => void;
}) {
  const list = useId();
  return (
    <label>
      {label}
      <input
        className="field mono"
        name={name}
        {...(isOptional ? { placeholder: "None" } : { required: true })}
        pattern="\s*0x[0-9a-fA-F]{40}\s*"
        title="0x and 40 hexadecimal digits"
        autoComplete="off"
        spellCheck={false}
        {...(known.length > 0 && { list })}
        {...(change && { value, onChange: ({ target }) => change(target.value) })}
      />
      {known.length > 0 && (
        <datalist id={list}>
          {known.map((address) => (
            <option key={address} value={address} />
          ))}
        </datalist>
      )}
      {tip && <span className="tip">{tip}</span>}
    </label>
  );
}
