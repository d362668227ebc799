// The member's own account, the same in every project.
import { createLazyRoute } from "@tanstack/react-router";
import { useState } from "react";
import { useWorkspace } from "../../api/session.ts";
import { ErrorText, Loaded } from "../../parts/states.tsx";
import { Appearance } from "./appearance.tsx";
import { Passkeys } from "./passkeys.tsx";
import { type AccountDetails, useAccount, useChangeAccount } from "./queries.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { SignIns } from "./sign-ins.tsx";

function Name({ member: { name, email } }: Pick<AccountDetails, "member">) {
  const { mutate, isPending, isSuccess, error, reset } = useChangeAccount();
  const [text, setText] = useState(name);
  const isChanged = text.trim() !== name && text.trim() !== "";
  return (
    <section className="section">
      <header>
        <h2>You</h2>
      </header>
      <form
        className="form narrow"
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) mutate({ method: "PUT", path: "name", body: { name: text } });
        }}
      >
        <label>
          Name
          <input
            className="field"
            name="name"
            required
            maxLength={100}
            autoComplete="name"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              reset();
            }}
          />
          <span className="tip">Your colleagues see it beside what you do. E-mail: {email}</span>
        </label>
        <div className="row">
          <button type="submit" className="button" disabled={!isChanged || isPending}>
            Save name
          </button>
          <span className="small" role="status">
            {isSuccess && !isChanged && "Saved"}
            {error && <ErrorText error={error} />}
          </span>
        </div>
      </form>
    </section>
  );
}

function AccountPage() {
  const query = useAccount();
  const { methods } = useWorkspace().session;
  return (
    <div className="column">
      <title>Your account</title>
      <div className="page-head">
        <h1>Your account</h1>
      </div>
      <Loaded query={query} what="your account">
        {(account) => (
          <>
            <Name member={account.member} />
            {methods.passkey && <Passkeys passkeys={account.passkeys} />}
            {methods.passkey && <RecoveryCodes left={account.recoveryCodes.left} />}
            <SignIns signIns={account.signIns} />
            <Appearance />
          </>
        )}
      </Loaded>
    </div>
  );
}

export const Route = createLazyRoute("/account")({ component: AccountPage });
