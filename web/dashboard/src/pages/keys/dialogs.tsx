import { useState } from "react";
import { useApi, useWrite } from "../../api/queries.ts";
import type { CreatedProjectKey, MemberList, ProjectKeyItem } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { AllOrSome, Options } from "../../parts/choice.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { toTime } from "../../parts/filters/days.ts";
import { CopyButton } from "../../parts/id.tsx";
import { OnceDialog } from "../../parts/once-dialog.tsx";
import { formatWhen } from "../../times.ts";

const KEYS_PATH = "/v1/projects/me/keys";

export interface NewKey {
  item: CreatedProjectKey;
  /** Of the key that it takes the place of. */
  until: string | null;
}

/** Nobody gives a scope that he does not have. The owner's role has each. */
function useScopes(): readonly string[] {
  const workspace = useWorkspace();
  const { data } = useApi<MemberList>("/v1/members");
  const all = data?.body.roles.find(({ name }) => name === "owner")?.liveScopes ?? [];
  return all.filter((scope) => hasScope(workspace, scope));
}

function readKey(form: FormData) {
  const type = String(form.get("type"));
  const name = String(form.get("name") ?? "").trim();
  const addresses = String(form.get("allowedAddresses") ?? "")
    .split(/[\s,]+/)
    .filter((address) => address !== "");
  const expiresAt = toTime(String(form.get("expiresAt") ?? "") || undefined, 1);
  const isRestricted = type === "secret" && form.get("all") === null;
  return {
    type,
    mode: String(form.get("mode")),
    ...(name !== "" && { name }),
    ...(isRestricted && { scopes: form.getAll("scopes").map(String) }),
    ...(addresses.length > 0 && { allowedAddresses: addresses }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

export function MakeDialog({ close, done }: { close: () => void; done: (made: NewKey) => void }) {
  const { mutateAsync } = useWrite<CreatedProjectKey>();
  const scopes = useScopes();
  const { membership, mode } = useWorkspace();
  const own = mode === "live" ? membership.liveScopes : membership.testScopes;
  const [type, setType] = useState("secret");
  return (
    <ConfirmDialog
      title="Make a key"
      action="Make key"
      close={close}
      run={async (idempotencyKey, form) => {
        const { body } = await mutateAsync({
          path: KEYS_PATH,
          body: readKey(form),
          idempotencyKey,
        });
        done({ item: body, until: null });
      }}
    >
      <label>
        Name
        <input
          className="field"
          name="name"
          maxLength={100}
          placeholder="What uses it, e.g. Shop"
          autoComplete="off"
        />
      </label>
      <div className="pair">
        <label>
          Type
          <select
            className="field"
            name="type"
            value={type}
            onChange={(event) => setType(event.target.value)}
          >
            <option value="secret">Secret, for servers</option>
            <option value="publishable">Publishable, for pages</option>
          </select>
        </label>
        <label>
          Mode
          <select className="field" name="mode" defaultValue="test">
            <option value="test">Test</option>
            {mode === "live" && <option value="live">Live, real money</option>}
          </select>
        </label>
      </div>
      {type === "secret" && (
        <>
          <AllOrSome
            name="scopes"
            values={scopes}
            begin={[]}
            allLabel={own === "all" ? "It may do everything" : undefined}
            someLabel="What it may do"
          />
          <label>
            Only from these addresses
            <input
              className="field"
              name="allowedAddresses"
              placeholder="203.0.113.0/24"
              autoComplete="off"
            />
            <span className="tip">
              Addresses or ranges with commas between. None means everywhere
            </span>
          </label>
        </>
      )}
      <label>
        Last day
        <input className="field" name="expiresAt" type="date" />
        <span className="tip">None means that it works until it is revoked</span>
      </label>
    </ConfirmDialog>
  );
}

const GRACES: readonly [seconds: number, word: string][] = [
  [86_400, "One day"],
  [604_800, "One week"],
  [3_600, "One hour"],
  [0, "Not at all"],
];

function nameKey({ name, prefix, last4 }: ProjectKeyItem): string {
  return name ?? `${prefix}…${last4}`;
}

export function RollDialog({
  item,
  close,
  done,
}: {
  item: ProjectKeyItem;
  close: () => void;
  done: (made: NewKey) => void;
}) {
  const { mutateAsync } = useWrite<CreatedProjectKey>();
  return (
    <ConfirmDialog
      title={`Roll ${nameKey(item)}`}
      action="Roll key"
      close={close}
      run={async (idempotencyKey, form) => {
        const graceSeconds = Number(form.get("graceSeconds"));
        const until = new Date(Date.now() + graceSeconds * 1_000).toISOString();
        const path = `${KEYS_PATH}/${item.id}/roll`;
        const { body } = await mutateAsync({ path, body: { graceSeconds }, idempotencyKey });
        done({ item: body, until: graceSeconds === 0 ? null : until });
      }}
    >
      <p>A new key with the same rights takes its place.</p>
      <label>
        The old key works beside it for
        <select className="field" name="graceSeconds">
          <Options of={GRACES} />
        </select>
      </label>
    </ConfirmDialog>
  );
}

export function RevokeDialog({ item, close }: { item: ProjectKeyItem; close: () => void }) {
  const { mutateAsync } = useWrite();
  return (
    <ConfirmDialog
      title={`Revoke ${nameKey(item)}?`}
      action="Revoke key"
      isDanger
      close={close}
      run={(idempotencyKey) =>
        mutateAsync({ method: "DELETE", path: `${KEYS_PATH}/${item.id}`, idempotencyKey })
      }
    >
      <p>Within five seconds it opens nothing, and it never works again.</p>
    </ConfirmDialog>
  );
}

export function KeyDialog({ made: { item, until }, close }: { made: NewKey; close: () => void }) {
  const name = item.type === "secret" ? "PAY_SECRET_KEY" : "PAY_PUBLISHABLE_KEY";
  const line = `${name}=${item.key}`;
  return (
    <OnceDialog
      title={`${item.mode === "live" ? "Live" : "Test"} key: ${nameKey(item)}`}
      secret={item.key}
      copyLabel="Copy key"
      doneLabel="I have kept it"
      close={close}
    >
      <p>
        It is not shown again.
        {until !== null && ` The old key works until ${formatWhen(until)}.`}
      </p>
      <p className="secret mono">{item.key}</p>
      <p>
        As a line of <code>.env</code> <CopyButton text={line} label="line of .env" />
      </p>
      <p className="secret mono">{line}</p>
    </OnceDialog>
  );
}
