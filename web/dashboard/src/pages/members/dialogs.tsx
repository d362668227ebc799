import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import type { Member, Role } from "../../api/records.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { focusField } from "../../parts/focus.ts";
import { OnceDialog } from "../../parts/once-dialog.tsx";
import { formatRole } from "../../parts/role.ts";
import { RefundLimits, readLimits } from "./refund-limits.tsx";
import { describeRole } from "./roles.ts";

function RoleChoice({
  name,
  label,
  roles,
  value,
}: {
  name: string;
  label: string;
  roles: Role[];
  value: string | null;
}) {
  const [chosen, setChosen] = useState(value ?? "");
  const role = roles.find((one) => one.name === chosen);
  return (
    <label>
      {label}
      <select
        className="field"
        name={name}
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
      >
        {roles.map((one) => (
          <option key={one.name} value={one.name}>
            {formatRole(one.name)}
          </option>
        ))}
        <option value="">None</option>
      </select>
      <span className="tip">{role === undefined ? "Sees nothing there" : describeRole(role)}</span>
    </label>
  );
}

function readRights(form: FormData) {
  const liveRole = String(form.get("liveRole")) || null;
  const testRole = String(form.get("testRole")) || null;
  return { liveRole, testRole, refundLimits: readLimits(form) };
}

export function InviteDialog({
  roles,
  close,
  done,
}: {
  roles: Role[];
  close: () => void;
  done: (invitation: Member) => void;
}) {
  const { mutateAsync } = useWrite<Member>();
  return (
    <ConfirmDialog
      title="Invite a person"
      action="Make invitation"
      close={close}
      run={async (idempotencyKey, form) => {
        const body = { email: String(form.get("email")).trim(), ...readRights(form) };
        done((await mutateAsync({ path: "/v1/members", body, idempotencyKey })).body);
      }}
    >
      <label>
        E-mail address
        <input
          className="field"
          name="email"
          type="email"
          required
          ref={focusField}
          autoComplete="off"
        />
      </label>
      <RoleChoice name="liveRole" label="Role in live mode" roles={roles} value="support" />
      <RoleChoice name="testRole" label="Role in test mode" roles={roles} value="support" />
      <RefundLimits limits={[]} />
    </ConfirmDialog>
  );
}

export function LinkDialog({ member, close }: { member: Member; close: () => void }) {
  const isMailed = member.mailedAt !== null;
  return (
    <OnceDialog
      title={isMailed ? `Sent to ${member.email}` : `Send this link to ${member.email}`}
      secret={member.link ?? ""}
      copyLabel="Copy link"
      doneLabel="Done"
      close={close}
    >
      <p>
        {isMailed
          ? "The link in the mail works once, for three days. Copy it here if the mail does not arrive."
          : "It works once, for three days, and is not shown again."}
      </p>
      <p className="secret mono">{member.link}</p>
    </OnceDialog>
  );
}

export function RolesDialog({
  member,
  roles,
  close,
}: {
  member: Member;
  roles: Role[];
  close: () => void;
}) {
  const { mutateAsync } = useWrite();
  return (
    <ConfirmDialog
      title={`Roles of ${member.name ?? member.email}`}
      action="Save roles"
      close={close}
      run={(idempotencyKey, form) =>
        mutateAsync({
          method: "PUT",
          path: `/v1/members/${member.id}`,
          body: readRights(form),
          idempotencyKey,
        })
      }
    >
      <RoleChoice name="liveRole" label="Role in live mode" roles={roles} value={member.liveRole} />
      <RoleChoice name="testRole" label="Role in test mode" roles={roles} value={member.testRole} />
      <RefundLimits limits={member.refundLimits} />
    </ConfirmDialog>
  );
}

export function RemoveDialog({ member, close }: { member: Member; close: () => void }) {
  const { mutateAsync } = useWrite();
  const isInvitation = member.expiresAt !== null;
  return (
    <ConfirmDialog
      title={
        isInvitation ? `Withdraw the invitation of ${member.email}?` : `Remove ${member.name}?`
      }
      action={isInvitation ? "Withdraw invitation" : "Remove member"}
      isDanger
      close={close}
      run={(idempotencyKey) =>
        mutateAsync({ method: "DELETE", path: `/v1/members/${member.id}`, idempotencyKey })
      }
    >
      <p>
        {isInvitation
          ? "The link opens nothing from then on."
          : "Within five seconds this person sees nothing of the project. Keys that the person made stay; revoke them apart."}
      </p>
    </ConfirmDialog>
  );
}

/** All scopes come with the owner, who has each. */
export function RoleDialog({
  role,
  scopes,
  close,
}: {
  role: Role | undefined;
  scopes: string[];
  close: () => void;
}) {
  const { mutateAsync } = useWrite();
  return (
    <ConfirmDialog
      title={role === undefined ? "New role" : `Role ${role.name}`}
      action="Save role"
      close={close}
      run={(idempotencyKey, form) =>
        mutateAsync({
          method: "PUT",
          path: `/v1/roles/${encodeURIComponent(role?.name ?? String(form.get("name")))}`,
          body: { scopes: form.getAll("scopes").map(String) },
          idempotencyKey,
        })
      }
    >
      {role === undefined && (
        <label>
          Name
          <input
            className="field"
            name="name"
            required
            pattern="[a-z][a-z0-9\-]{0,39}"
            title="Lowercase letters, digits and hyphens, a letter first"
            placeholder="returns-desk"
            autoComplete="off"
          />
        </label>
      )}
      <fieldset className="scopes">
        <legend>What it may do</legend>
        {scopes.map((scope) => (
          <label key={scope} className="choice">
            <input
              type="checkbox"
              name="scopes"
              value={scope}
              defaultChecked={role?.liveScopes.includes(scope)}
            />
            <span className="mono">{scope}</span>
          </label>
        ))}
      </fieldset>
      {role !== undefined && <p>Without any scope the role is deleted.</p>}
    </ConfirmDialog>
  );
}
