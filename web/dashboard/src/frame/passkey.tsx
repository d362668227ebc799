// How a member who came by a link gets a passkey.
import { leave } from "../api/own.ts";
import { useAddPasskey } from "../api/queries.ts";
import type { Session } from "../api/session.ts";
import { ErrorNote, State } from "../parts/states.tsx";

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
