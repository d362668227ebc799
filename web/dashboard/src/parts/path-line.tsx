import { Id } from "./id.tsx";

/** From which wallet money goes to which. */
export function PathLine({
  from,
  to,
  fromLabel = "From",
  toLabel,
}: {
  from: string;
  to: string | null;
  fromLabel?: string;
  toLabel: string;
}) {
  return (
    <div className="path-line">
      <span className="pin">
        <i />
      </span>
      <div>
        <small>{fromLabel}</small>
        <Id text={from} label="sending wallet" />
      </div>
      <span className="pin to">
        <i />
      </span>
      <div>
        <small>{toLabel}</small>
        {to === null ? (
          <span className="faint">Not known yet</span>
        ) : (
          <Id text={to} label="receiving wallet" />
        )}
      </div>
    </div>
  );
}
