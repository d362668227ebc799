import { useState } from "react";
import { useAddPasskey } from "../api/queries.ts";
import type { Session } from "../api/session.ts";
import { Icon } from "../parts/icon.tsx";
import { ErrorText } from "../parts/states.tsx";

const HIDDEN_KEY = "dashboard-passkey-line";

/** Stands over every page until there is a passkey, or the member wants none. */
export function PasskeyLine({ session }: { session: Session }) {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(HIDDEN_KEY) !== null);
  const { mutate, isPending, error } = useAddPasskey(session);
  if (session.hasPasskey || !session.methods.passkey || isHidden) return null;
  function hide() {
    localStorage.setItem(HIDDEN_KEY, "hidden");
    setHidden(true);
  }

  return (
    <div className="note line">
      <Icon name="key" />
      <p>
        {error ? (
          <span role="alert">
            <ErrorText error={error} />
          </span>
        ) : (
          <>
            {session.methods.oidc === null && "Links work once. "}With a passkey, this device signs
            you in from now on.
          </>
        )}
      </p>
      <span className="end">
        <button type="button" className="button" disabled={isPending} onClick={() => mutate()}>
          Add a passkey
        </button>
        <button type="button" className="copy" aria-label="Hide this line" onClick={hide}>
          <Icon name="cross" />
        </button>
      </span>
    </div>
  );
}
