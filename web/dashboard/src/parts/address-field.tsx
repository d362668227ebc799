/** A wallet of the merchant or of a customer. */
export function AddressField({ label, name, tip }: { label: string; name: string; tip?: string }) {
  return (
    <label>
      {label}
      <input
        className="field mono"
        name={name}
        required
        pattern="\s*0x[0-9a-fA-F]{40}\s*"
        title="0x and 40 hexadecimal digits"
        autoComplete="off"
      />
      {tip && <span className="tip">{tip}</span>}
    </label>
  );
}
