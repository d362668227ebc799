import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { Icon } from "../parts/icon.tsx";
import { State } from "../parts/states.tsx";

/** In place of a page whose script did not come: without a connection, or after a new version of the service. */
export function Broken() {
  useEffect(() => {
    const reload = () => location.reload();
    window.addEventListener("online", reload);
    return () => window.removeEventListener("online", reload);
  }, []);
  if (!navigator.onLine) {
    return (
      <State icon="offline" title="No connection">
        This page opens by itself when you are back.
      </State>
    );
  }
  return (
    <State
      isBad
      icon="fault"
      title="This page cannot be shown now"
      actions={
        <button type="button" className="button" onClick={() => location.reload()}>
          <Icon name="retry" />
          Load it again
        </button>
      }
    >
      It failed, or its script could not be loaded.
    </State>
  );
}

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
