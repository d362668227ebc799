import { Link } from "@tanstack/react-router";
import { State } from "../parts/states.tsx";

export function Missing() {
  return (
    <State
      icon="help"
      title="There is no page at this address"
      actions={
        <Link className="button" to="/payments">
          To the payments
        </Link>
      }
    >
      The link may be old, or a part of it is missing.
    </State>
  );
}
