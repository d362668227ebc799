import { createLazyRoute } from "@tanstack/react-router";
import { useState } from "react";
import type { ProjectKeyItem } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { Actor } from "../../parts/actor.tsx";
import { buildPath, ListPage } from "../../parts/list/list-page.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import type { StatusWords } from "../../status-words.ts";
import { formatWhen } from "../../times.ts";
import { KeyDialog, MakeDialog, type NewKey, RevokeDialog, RollDialog } from "./dialogs.tsx";
import { CONTROLS, FIRST, type Filters } from "./filters.ts";

type Open =
  | { what: "make" }
  | { what: "roll" | "revoke"; item: ProjectKeyItem }
  | { what: "shown"; made: NewKey };

function describeKey({ revokedAt, expiresAt }: ProjectKeyItem): StatusWords {
  if (revokedAt !== null) return { word: "Revoked", tone: "still", icon: "cross" };
  if (expiresAt === null) return { word: "Active", tone: "good", icon: "check" };
  if (Date.parse(expiresAt) <= Date.now()) return { word: "Expired", tone: "still", icon: "clock" };
  return { word: `Until ${formatWhen(expiresAt)}`, tone: "heed", icon: "clock" };
}

function describeScopes({ type, scopes, allowedAddresses }: ProjectKeyItem): string {
  if (type === "publishable") return "For pages of your shop";
  const may = scopes.length === 0 ? "Everything" : scopes.join(", ");
  return allowedAddresses.length === 0 ? may : `${may}; only from ${allowedAddresses.join(", ")}`;
}

function Row({
  item,
  choose,
}: {
  item: ProjectKeyItem;
  choose: ((what: "roll" | "revoke") => void) | undefined;
}) {
  const { name, prefix, last4, mode, type, createdBy, lastUsedAt, revokedAt, expiresAt } = item;
  const shown = `${prefix}…${last4}`;
  const isOver = revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now());
  const scopes = describeScopes(item);
  return (
    <tr>
      <td>
        <span className="two-line">
          <b>{name ?? (type === "secret" ? "Secret key" : "Publishable key")}</b>
          <small className="mono">{shown}</small>
        </span>
      </td>
      <td className="r">
        <Status words={describeKey(item)} />
      </td>
      <td className="sub">{mode === "live" ? "Live" : "Test"}</td>
      <td className="grow sub wide" title={scopes}>
        {scopes}
      </td>
      <td className="wide sub">
        <Actor id={createdBy} />
      </td>
      <td className="sub">
        {lastUsedAt === null ? <span className="faint">Never used</span> : <Time at={lastUsedAt} />}
      </td>
      <td className="r right">
        {!isOver && choose !== undefined && (
          <span className="acts">
            <button
              type="button"
              className="button"
              aria-label={`Roll ${name ?? shown}`}
              onClick={() => choose("roll")}
            >
              Roll
            </button>
            <button
              type="button"
              className="button"
              aria-label={`Revoke ${name ?? shown}`}
              onClick={() => choose("revoke")}
            >
              Revoke
            </button>
          </span>
        )}
      </td>
    </tr>
  );
}

function Keys({ filters }: { filters: Filters }) {
  const canWrite = hasScope(useWorkspace(), "keys:write");
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  /** The dialog that made a key closes after the one that shows it has opened. */
  const closeMade = () => setOpen((now) => (now?.what === "shown" ? now : undefined));
  const show = (made: NewKey) => setOpen({ what: "shown", made });
  return (
    <>
      <ListPage<ProjectKeyItem>
        title="API keys"
        icon="key"
        noun={["key", "keys"]}
        path={buildPath("/v1/projects/me/keys", filters)}
        values={filters}
        controls={CONTROLS}
        first={FIRST}
        actions={
          canWrite && (
            <button
              type="button"
              className="button primary"
              onClick={() => setOpen({ what: "make" })}
            >
              Make a key
            </button>
          )
        }
        columns={[
          { name: "Key" },
          { name: "State" },
          { name: "Mode" },
          { name: "May do", isWide: true },
          { name: "Made by", isWide: true },
          { name: "Last used" },
          { name: "Actions", isRight: true },
        ]}
        renderRow={(item) => (
          <Row
            key={item.id}
            item={item}
            choose={canWrite ? (what) => setOpen({ what, item }) : undefined}
          />
        )}
        empty={{ title: "No keys", text: "A key lets your shop call the service." }}
      />
      {open?.what === "make" && <MakeDialog close={closeMade} done={show} />}
      {open?.what === "roll" && <RollDialog item={open.item} close={closeMade} done={show} />}
      {open?.what === "revoke" && <RevokeDialog item={open.item} close={close} />}
      {open?.what === "shown" && <KeyDialog made={open.made} close={close} />}
    </>
  );
}

export const Route = createLazyRoute("/keys")({
  component: function ApiKeysPage() {
    return <Keys filters={Route.useSearch()} />;
  },
});
