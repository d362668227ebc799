// How a member who came by a link gets a passkey.
import { useState } from "react";
import { leave } from "../api/own.ts";
import { useAddPasskey } from "../api/queries.ts";
import type { Session } from "../api/session.ts";
import { Icon } from "../parts/icon.tsx";
import { ErrorNote, ErrorText, State } from "../parts/states.tsx";

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
          "Links work once. With a passkey, this device signs you in from now on."
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

/** Where nothing else is open yet. */
export function NeedsPasskey({ session }: { session: Session }) {
  const { mutate, isPending, error } = useAddPasskey(session);
  return (
    <>
      <title>Add a passkey</title>
      <State
        icon="key"
        title={`Welcome, ${session.member.name}`}
        actions={
          <>
            <button
              type="button"
              className="button primary"
              disabled={isPending}
              onClick={() => mutate()}
            >
              Add a passkey
            </button>
            {session.methods.oidc !== null && (
              <a className="button" href="/dashboard/sign-in/oidc">
                Continue with {session.methods.oidc}
              </a>
            )}
            <button type="button" className="button" onClick={() => void leave(session)}>
              Sign out
            </button>
          </>
        }
      >
        Add a passkey to open the dashboard. From then on your device signs you in: by fingerprint,
        face or its own code. There is no password.
      </State>
      {error && <ErrorNote error={error} />}
    </>
  );
}
