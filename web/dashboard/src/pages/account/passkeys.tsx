import { useEffect, useState } from "react";
import { useAddPasskey } from "../../api/queries.ts";
import { useWorkspace } from "../../api/session.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { type Passkey, useChangeAccount } from "./queries.ts";

type Doing = { what: "rename" | "remove"; passkey: Passkey };

function Row({ passkey, start }: { passkey: Passkey; start: (doing: Doing) => void }) {
  const { name, isBackedUp, createdAt, lastUsedAt } = passkey;
  return (
    <li>
      <Icon name="key" />
      <div className="two-line">
        <b>{name}</b>
        <small>
          {isBackedUp ? "On all your devices" : "On one device"}, added <Time at={createdAt} />
          {lastUsedAt === null ? (
            ", not used yet"
          ) : (
            <>
              , last used <Time at={lastUsedAt} />
            </>
          )}
        </small>
      </div>
      <span className="end">
        <button
          type="button"
          className="button"
          aria-label={`Rename ${name}`}
          onClick={() => start({ what: "rename", passkey })}
        >
          Rename
        </button>
        <button
          type="button"
          className="button"
          aria-label={`Remove ${name}`}
          onClick={() => start({ what: "remove", passkey })}
        >
          Remove
        </button>
      </span>
    </li>
  );
}

function ChangeDialog({ doing: { what, passkey }, close }: { doing: Doing; close: () => void }) {
  const { mutateAsync } = useChangeAccount();
  const path = `passkeys/${passkey.id}`;
  if (what === "remove") {
    return (
      <ConfirmDialog
        title={`Remove ${passkey.name}?`}
        action="Remove passkey"
        isDanger
        close={close}
        run={() => mutateAsync({ method: "DELETE", path })}
      >
        <p>
          It no longer signs you in. Delete it on the device as well, or the device keeps offering
          it.
        </p>
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      title="Rename this passkey"
      action="Save name"
      close={close}
      run={(_, form) => mutateAsync({ method: "PUT", path, body: { name: form.get("name") } })}
    >
      <label>
        Name
        <input
          className="field"
          name="name"
          required
          maxLength={100}
          defaultValue={passkey.name}
          autoComplete="off"
        />
      </label>
    </ConfirmDialog>
  );
}

export function Passkeys({ passkeys }: { passkeys: Passkey[] }) {
  const { session } = useWorkspace();
  const [doing, setDoing] = useState<Doing>();
  const { mutate, isPending, error } = useAddPasskey(session);
  useEffect(() => {
    // The address may name this part, which was not there when the page opened.
    if (location.hash === "#passkeys") document.getElementById("passkeys")?.scrollIntoView();
  }, []);
  return (
    <section className="section" id="passkeys">
      <header>
        <h2>Passkeys</h2>
        <button
          type="button"
          className={passkeys.length === 0 ? "button primary end" : "button end"}
          disabled={isPending}
          onClick={() => mutate()}
        >
          Add a passkey
        </button>
      </header>
      {error && <ErrorNote error={error} isApart />}
      {passkeys.length === 0 ? (
        <p className="quiet gap-2">
          None yet. With a passkey your device signs you in, and confirms what matters most.
        </p>
      ) : (
        <ul className="things">
          {passkeys.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} start={setDoing} />
          ))}
        </ul>
      )}
      {doing && <ChangeDialog doing={doing} close={() => setDoing(undefined)} />}
    </section>
  );
}
