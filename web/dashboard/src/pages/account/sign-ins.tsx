import { describeAgent } from "../../agent.ts";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { type SignIn, useChangeAccount } from "./queries.ts";

const METHODS: Record<SignIn["method"], string> = {
  link: "by a link",
  passkey: "by a passkey",
  recovery: "by a recovery code",
  oidc: "by single sign-on",
};

function Row({ signIn, end }: { signIn: SignIn; end: () => void }) {
  const { method, agent, createdAt, seenAt, isCurrent } = signIn;
  const browser = describeAgent(agent);
  return (
    <li>
      <Icon name="person" />
      <div className="two-line">
        <b>{browser}</b>
        <small>
          Signed in {METHODS[method]} <Time at={createdAt} />
          {!isCurrent && (
            <>
              , last seen <Time at={seenAt} />
            </>
          )}
        </small>
      </div>
      <span className="end">
        {isCurrent ? (
          <span className="status good">
            <Icon name="check" />
            This browser
          </span>
        ) : (
          <button
            type="button"
            className="button"
            aria-label={`End sign-in of ${browser}`}
            onClick={end}
          >
            End
          </button>
        )}
      </span>
    </li>
  );
}

export function SignIns({ signIns }: { signIns: SignIn[] }) {
  const { mutate, isPending, error } = useChangeAccount();
  return (
    <section className="section">
      <header>
        <h2>Open sign-ins</h2>
        {signIns.length > 1 && (
          <button
            type="button"
            className="button end"
            disabled={isPending}
            onClick={() => mutate({ method: "DELETE", path: "sign-ins" })}
          >
            End all others
          </button>
        )}
      </header>
      {error && <ErrorNote error={error} isApart />}
      <ul className="things">
        {signIns.map((signIn) => (
          <Row
            key={signIn.id}
            signIn={signIn}
            end={() => mutate({ method: "DELETE", path: `sign-ins/${signIn.id}` })}
          />
        ))}
      </ul>
    </section>
  );
}
