import { createLazyRoute } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../../api/queries.ts";
import type { Member, MemberList, Role } from "../../api/records.ts";
import { hasScope, useWorkspace, WorkspaceContext } from "../../api/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { formatRole } from "../../parts/role.ts";
import { Loaded } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { formatDate } from "../../times.ts";
import { InviteDialog, LinkDialog, RemoveDialog, RoleDialog, RolesDialog } from "./dialogs.tsx";
import { describeRole } from "./roles.ts";

type Open =
  | { what: "invite" }
  | { what: "link" | "roles" | "remove"; member: Member }
  | { what: "role"; role?: Role };

function Seen({ member: { expiresAt, lastSeenAt } }: { member: Member }) {
  if (expiresAt !== null) {
    const isOver = Date.parse(expiresAt) <= Date.now();
    return (
      <span className={isOver ? "status still" : "status heed"}>
        <Icon name={isOver ? "cross" : "clock"} />
        {isOver ? "Invitation expired" : `Invited until ${formatDate(expiresAt)}`}
      </span>
    );
  }
  return lastSeenAt === null ? (
    <span className="faint">Not seen yet</span>
  ) : (
    <Time at={lastSeenAt} />
  );
}

function Row({
  member,
  isMe,
  open,
}: {
  member: Member;
  isMe: boolean;
  open: ((what: "roles" | "remove") => void) | undefined;
}) {
  const { name, email, liveRole, testRole, refundLimits, hasPasskey, expiresAt } = member;
  return (
    <tr>
      <td className="person">
        <span className="two-line">
          <b>
            {name ?? email}
            {isMe && <span className="faint"> (you)</span>}
          </b>
          {name !== null && <small>{email}</small>}
        </span>
      </td>
      <td className="r">
        <Seen member={member} />
      </td>
      <td className="sub">
        {formatRole(liveRole)}
        <span className="faint"> live, </span>
        {formatRole(testRole)}
        <span className="faint"> test{refundLimits.length > 0 && ", refunds up to limits"}</span>
      </td>
      <td className="wide sub">{expiresAt === null && (hasPasskey ? "Passkey" : "No passkey")}</td>
      <td className="r right">
        {open && (
          <span className="acts">
            <button
              type="button"
              className="button"
              aria-label={`Change roles of ${name ?? email}`}
              onClick={() => open("roles")}
            >
              Roles
            </button>
            <button
              type="button"
              className="button"
              aria-label={`${expiresAt === null ? "Remove" : "Withdraw"} ${name ?? email}`}
              onClick={() => open("remove")}
            >
              {expiresAt === null ? "Remove" : "Withdraw"}
            </button>
          </span>
        )}
      </td>
    </tr>
  );
}

function Roles({ roles, edit }: { roles: Role[]; edit: ((role?: Role) => void) | undefined }) {
  return (
    <section className="section">
      <header>
        <h2>Roles</h2>
        {edit && (
          <button type="button" className="button end" onClick={() => edit()}>
            New role
          </button>
        )}
      </header>
      <ul className="things">
        {roles.map((role) => (
          <li key={role.name}>
            <div className="two-line">
              <b>{formatRole(role.name)}</b>
              <small>{describeRole(role)}</small>
            </div>
            {edit && !role.builtIn && (
              <span className="end">
                <button
                  type="button"
                  className="button"
                  aria-label={`Edit role ${role.name}`}
                  onClick={() => edit(role)}
                >
                  Edit
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Content({ list: { data, roles } }: { list: MemberList }) {
  const workspace = useWorkspace();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const canWrite = hasScope(workspace, "members:write");
  const scopes = roles.find(({ name }) => name === "owner")?.liveScopes ?? [];
  return (
    <>
      <div className="page-head">
        <h1>Members</h1>
        {canWrite && (
          <div className="end">
            <button
              type="button"
              className="button primary"
              onClick={() => setOpen({ what: "invite" })}
            >
              Invite a person
            </button>
          </div>
        )}
      </div>
      {data.length === 0 ? (
        <p className="quiet gap-4">Nobody yet: this project is used by its keys alone.</p>
      ) : (
        <table className="list gap-4">
          <thead>
            <tr>
              <th scope="col">Person</th>
              <th scope="col">Last seen</th>
              <th scope="col">Roles</th>
              <th scope="col" className="wide">
                Signs in by
              </th>
              <th scope="col">
                <span className="hidden-text">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((member) => (
              <Row
                key={member.id}
                member={member}
                isMe={member.id === workspace.session.member.id}
                open={canWrite ? (what) => setOpen({ what, member }) : undefined}
              />
            ))}
          </tbody>
        </table>
      )}
      <Roles
        roles={roles}
        edit={canWrite ? (role) => setOpen({ what: "role", ...(role && { role }) }) : undefined}
      />
      {open?.what === "invite" && (
        <InviteDialog
          roles={roles}
          close={() => setOpen((now) => (now?.what === "invite" ? undefined : now))}
          done={(member) => setOpen({ what: "link", member })}
        />
      )}
      {open?.what === "link" && <LinkDialog member={open.member} close={close} />}
      {open?.what === "roles" && <RolesDialog member={open.member} roles={roles} close={close} />}
      {open?.what === "remove" && <RemoveDialog member={open.member} close={close} />}
      {open?.what === "role" && <RoleDialog role={open.role} scopes={scopes} close={close} />}
    </>
  );
}

function People() {
  const query = useApi<MemberList>("/v1/members");
  return (
    <>
      <title>Members</title>
      <Loaded query={query} what="members">
        {({ body }) => <Content list={body} />}
      </Loaded>
    </>
  );
}

/** One list for both modes; who may change a role in live mode may change all. */
function MembersPage() {
  const workspace = useWorkspace();
  return (
    <WorkspaceContext value={{ ...workspace, mode: "live" }}>
      <People />
    </WorkspaceContext>
  );
}

export const Route = createLazyRoute("/members")({ component: MembersPage });
