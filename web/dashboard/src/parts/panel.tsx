// What the panels beside a list share.
import { Link } from "@tanstack/react-router";
import { Icon } from "./icon.tsx";
import { Id, shortenId } from "./id.tsx";

export function ClosePanel() {
  return (
    <Link
      className="button plain icon-only"
      aria-label="Close"
      to="."
      search={(before: object) => ({ ...before, open: undefined })}
    >
      <Icon name="cross" />
    </Link>
  );
}

/** The record that an event is about. */
export function Subject({ id }: { id: string }) {
  if (!id.startsWith("pay_")) return <Id text={id} label="id" />;
  return (
    <Link to="/payments/$id" params={{ id }}>
      Payment {shortenId(id)}
    </Link>
  );
}
