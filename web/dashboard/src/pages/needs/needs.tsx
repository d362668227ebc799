import { createLazyRoute, Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { formatAmount } from "../../amounts.ts";
import { type NeedFilters, useNeeds } from "../../api/needs.ts";
import { useSymbol, useWrite } from "../../api/queries.ts";
import type { NeedItem, NeedList } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote, Loaded, State } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { formatAge } from "../../times.ts";
import { describeNeed, GROUPS, LOOKS } from "./words.ts";

/** Where what waits is dealt with. */
function NeedLink({
  need: { id, kind, paymentId, detail },
  className,
  children,
}: {
  need: NeedItem;
  className: string;
  children: ReactNode;
}) {
  const shown = { className, children };
  if (kind.startsWith("refund_")) return <Link to="/refunds/$id" params={{ id }} {...shown} />;
  if (kind.startsWith("settlement_")) {
    return <Link to="/settlements/$id" params={{ id }} {...shown} />;
  }
  if (kind.startsWith("endpoint_")) {
    return <Link to="/webhooks" search={{ endpointId: id, state: "failed" }} {...shown} />;
  }
  if (kind === "book_difference") {
    return <Link to="/reports/$month" params={{ month: detail ?? "" }} {...shown} />;
  }
  if (paymentId === null) return <Link to="/transfers" {...shown} />;
  return <Link to="/payments/$id" params={{ id: paymentId }} {...shown} />;
}

function NoteDialog({ need, close }: { need: NeedItem; close: () => void }) {
  const { mutateAsync } = useWrite();
  return (
    <ConfirmDialog
      title="Note for colleagues"
      action="Save note"
      close={close}
      run={(idempotencyKey, form) => {
        const body = { note: String(form.get("note")).trim() };
        return mutateAsync({ path: `/v1/needs/${need.id}`, body, idempotencyKey });
      }}
    >
      <label>
        Note
        <input
          className="field"
          name="note"
          maxLength={500}
          defaultValue={need.note ?? ""}
          autoComplete="off"
        />
      </label>
    </ConfirmDialog>
  );
}

function Actions({ need, title }: { need: NeedItem; title: string }) {
  const { session } = useWorkspace();
  const { mutate, error } = useWrite();
  const [isNoting, setNoting] = useState(false);
  const isMine = need.takenBy?.id === session.member.id;
  function change(body: object) {
    mutate({ path: `/v1/needs/${need.id}`, body, idempotencyKey: crypto.randomUUID() });
  }

  return (
    <>
      <MenuTrigger>
        <Button className="button icon-only" aria-label={`More about ${title}`}>
          <Icon name="more" />
        </Button>
        <Popover className="menu" placement="bottom end">
          <Menu aria-label="What to do with it">
            <MenuItem onAction={() => change({ take: !isMine })}>
              <Icon name="person" />
              {isMine ? "Give it back" : "Take it"}
            </MenuItem>
            <MenuItem onAction={() => setNoting(true)}>
              <Icon name="note" />
              {need.note === null ? "Write a note" : "Change the note"}
            </MenuItem>
            <MenuItem onAction={() => change({ done: true })}>
              <Icon name="check" />
              Call it done
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      {error && <ErrorNote error={error} />}
      {isNoting && <NoteDialog need={need} close={() => setNoting(false)} />}
    </>
  );
}

function Sum({ need, symbol }: { need: NeedItem; symbol: string }) {
  const { amount, receivedAmount, failures } = need;
  if (amount === null) {
    return (
      <span className="sum">
        {failures !== null && failures > 0 && <span>{failures} events</span>}
      </span>
    );
  }
  return (
    <span className="sum">
      {formatAmount((receivedAmount ?? amount).replace("-", ""))} <span>{symbol}</span>
    </span>
  );
}

function findInitials(name: string): string {
  const [first = "", ...others] = name.split(/\s+/);
  return `${first.charAt(0)}${others.at(-1)?.charAt(0) ?? ""}`.toUpperCase();
}

function Taker({ takenBy }: { takenBy: NonNullable<NeedItem["takenBy"]> }) {
  const name = takenBy.name ?? "A key";
  return (
    <span className="who-has" title={`${name} deals with it`}>
      <span className="me" aria-hidden="true">
        {findInitials(name)}
      </span>
      {name.split(/\s+/)[0]}
    </span>
  );
}

function Row({ need }: { need: NeedItem }) {
  const workspace = useWorkspace();
  const { session } = workspace;
  const symbol = useSymbol(need.chainId ?? undefined, need.currency ?? "native") ?? "";
  const { icon, tone, act } = LOOKS[need.kind];
  const { title, text } = describeNeed({ need, symbol, me: session.member.id });
  return (
    <li className="need">
      <span className={`badge ${tone}`}>
        <Icon name={icon} />
      </span>
      <div>
        <b>
          <NeedLink need={need} className="plainlink">
            {title}
          </NeedLink>
        </b>
        <p>{text}</p>
        {need.note !== null && (
          <p className="own-note">
            <Icon name="note" isSmall />
            {need.note}
          </p>
        )}
      </div>
      <Sum need={need} symbol={symbol} />
      <span className="since">
        {need.takenBy === null ? (
          <Time at={need.createdAt} format={formatAge} />
        ) : (
          <Taker takenBy={need.takenBy} />
        )}
      </span>
      <span className="act">
        <NeedLink need={need} className="button">
          {act}
          <span className="hidden-text">: {title}</span>
        </NeedLink>
        {hasScope(workspace, "payments:write") && <Actions need={need} title={title} />}
      </span>
    </li>
  );
}

function Nothing({ filters }: { filters: NeedFilters }) {
  if (filters.after !== undefined || filters.taken !== undefined) {
    return (
      <State
        icon="needs"
        title={filters.taken === "me" ? "You have taken nothing" : "Nothing more waits here"}
        actions={
          <Link className="button" to="/needs">
            Show all that waits
          </Link>
        }
      >
        Take something by its menu, so that others leave it to you.
      </State>
    );
  }
  return (
    <p className="note good gap-4">
      <Icon name="check" />
      <span>
        <b className="strong">Nothing waits for you.</b>{" "}
        <span className="quiet">
          Money that is late, too little or unclear appears here, and what needs a signature.
        </span>
      </span>
    </p>
  );
}

const PLACES: Readonly<Record<NeedList["incomplete"][number], string>> = {
  payments: "payments",
  transfers: "transfers",
  refunds: "refunds",
  settlements: "settlements",
  webhooks: "webhooks",
  books: "reports",
};

function Incomplete({ names }: { names: NeedList["incomplete"] }) {
  if (names.length === 0) return null;
  return (
    <p className="note heed gap-4" role="status">
      <Icon name="warning" />
      Not all could be asked in time: {names.map((name) => PLACES[name]).join(", ")}. The list may
      lack some of them.
    </p>
  );
}

function Groups({ needs }: { needs: readonly NeedItem[] }) {
  const groups = GROUPS.map(({ title, kinds }) => ({
    title,
    rows: needs.filter(({ kind }) => kinds.includes(kind)),
  })).filter(({ rows }) => rows.length > 0);
  return (
    <div className="needs">
      {groups.map(({ title, rows }) => (
        <section key={title} aria-label={title}>
          <h2>
            {title} <span>{rows.length}</span>
          </h2>
          <ul className="card">
            {rows.map((need) => (
              <Row key={need.id} need={need} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

const VIEWS: readonly { name: string; taken: NeedFilters["taken"] }[] = [
  { name: "Open", taken: undefined },
  { name: "Mine", taken: "me" },
  { name: "Not taken", taken: "nobody" },
];

function Views() {
  return (
    <nav className="views" aria-label="Views">
      {VIEWS.map(({ name, taken }) => (
        <Link
          key={name}
          from="/needs"
          search={(before) => ({ ...before, taken, after: undefined })}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

function Foot({ next }: { next: string | null }) {
  if (next === null) return null;
  return (
    <div className="list-foot">
      <span className="end">
        <Link className="button" from="/needs" search={(before) => ({ ...before, after: next })}>
          Older
          <Icon name="older" />
        </Link>
      </span>
    </div>
  );
}

function Needs({ filters }: { filters: NeedFilters }) {
  const query = useNeeds(filters);
  return (
    <>
      <title>Needs you</title>
      <div className="page-head">
        <h1>Needs you</h1>
      </div>
      <Views />
      <Loaded query={query} what="what waits">
        {({ body: { data, incomplete }, headers }) => (
          <>
            <Incomplete names={incomplete} />
            {data.length === 0 ? <Nothing filters={filters} /> : <Groups needs={data} />}
            <Foot next={headers.get("X-Next-After")} />
          </>
        )}
      </Loaded>
    </>
  );
}

export const Route = createLazyRoute("/needs")({
  component: function NeedsPage() {
    return <Needs filters={Route.useSearch()} />;
  },
});
