import { createLazyRoute, Link } from "@tanstack/react-router";
import type { AuditItem } from "../../api/records.ts";
import { useWorkspace } from "../../api/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { shortenId } from "../../parts/id.tsx";
import { buildPath, ListPage } from "../../parts/list/list-page.tsx";
import { Time } from "../../parts/time.tsx";
import { formatWhen, getZoneName } from "../../times.ts";
import { CONTROLS, FIRST, type Filters } from "./filters.ts";

function Who({ entry: { actor } }: { entry: AuditItem }) {
  const { session } = useWorkspace();
  const { id, name, type } = actor;
  if (id === null) return <b>The operator</b>;
  return (
    <span className="two-line">
      <b>
        {name ?? shortenId(id)}
        {id === session.member.id && <span className="faint"> (you)</span>}
      </b>
      <small>{type === "key" ? "Key" : "Member"}</small>
    </span>
  );
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(formatValue).join(", ");
  if (typeof value !== "string") return JSON.stringify(value);
  return ISO_TIME.test(value) ? formatWhen(value) : value;
}

function Changes({ entry: { changes } }: { entry: AuditItem }) {
  const shown = changes.filter(({ before, after }) => before !== null || after !== null);
  const named = changes.filter((change) => !shown.includes(change));
  return (
    <>
      {shown.map(({ field, before, after }) => (
        <span key={field} className="change">
          <span className="faint">{field}</span> {before !== null && <s>{formatValue(before)}</s>}{" "}
          {before !== null && <Icon name="older" isSmall />} {formatValue(after)}
        </span>
      ))}
      {named.length > 0 && (
        <span className="change faint">{named.map(({ field }) => field).join(", ")}</span>
      )}
    </>
  );
}

function Outcome({ entry: { state, errorCode, statusCode } }: { entry: AuditItem }) {
  if (state === "asked") return <span className="status heed">No end known</span>;
  if (errorCode === null) return null;
  return (
    <a className="status bad" href={`/docs/errors#${errorCode}`} title={`Status ${statusCode}`}>
      {errorCode}
    </a>
  );
}

function Target({ id }: { id: string | null }) {
  if (id === null) return null;
  if (id.startsWith("pay_")) {
    return (
      <Link className="mono" to="/payments/$id" params={{ id }}>
        {shortenId(id)}
      </Link>
    );
  }
  return (
    <span className="mono" title={id}>
      {shortenId(id)}
    </span>
  );
}

function Row({ entry }: { entry: AuditItem }) {
  const { createdAt, action, targetId, requestId, clientAddress } = entry;
  return (
    <tr className="entry">
      <td>
        <Who entry={entry} />
      </td>
      <td className="r">
        <span className="mono">{action}</span> <Outcome entry={entry} />
      </td>
      <td className="sub">
        <Target id={targetId} />
      </td>
      <td className="grow sub changes">
        <Changes entry={entry} />
      </td>
      <td className="wide faint mono" title={`Request ${requestId}`}>
        {clientAddress}
      </td>
      <td className="when r right">
        <Time at={createdAt} />
      </td>
    </tr>
  );
}

function Audit({ filters }: { filters: Filters }) {
  return (
    <ListPage<AuditItem>
      title="Audit log"
      icon="audit"
      noun={["entry", "entries"]}
      path={buildPath("/v1/audit", filters)}
      values={filters}
      controls={CONTROLS}
      first={FIRST}
      columns={[
        { name: "Who" },
        { name: "What" },
        { name: "On what" },
        { name: "Before and after" },
        { name: "From", isWide: true },
        { name: `When, ${getZoneName()}`, isRight: true },
      ]}
      renderRow={(entry) => <Row key={entry.id} entry={entry} />}
      empty={{
        title: "Nothing was changed yet",
        text: "Each change of settings and each movement of money is kept here for 400 days.",
      }}
    />
  );
}

export const Route = createLazyRoute("/audit")({
  component: function AuditPage() {
    return <Audit filters={Route.useSearch()} />;
  },
});
