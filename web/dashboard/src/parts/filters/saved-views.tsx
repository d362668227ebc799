// Filters of a list under a name: one's own, or shared with the project.
import { Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { Button, Dialog, DialogTrigger, Popover } from "react-aria-components";
import { useApi, useWrite } from "../../api/queries.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { Icon } from "../icon.tsx";
import { ErrorNote } from "../states.tsx";
import type { Control, FilterValues } from "./controls.ts";

interface SavedView {
  memberId: string;
  name: string;
  /** Path and query of the list. */
  address: string;
  isShared: boolean;
}

const VIEWS = "/dashboard/views";
const STALE_MS = 60_000;

type Filters = Record<string, string | undefined>;

/** Undefined for a view of another list. */
function readFilters({ address }: SavedView, list: string, names: readonly string[]) {
  if (!address.startsWith(`${list}?`)) return undefined;
  const query = new URLSearchParams(address.slice(list.length));
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? undefined]));
}

function formatQuery(values: FilterValues, names: readonly string[]): string {
  return `${new URLSearchParams(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])))}`;
}

function SaveForm({ address, close }: { address: string; close: () => void }) {
  const workspace = useWorkspace();
  const { mutateAsync } = useWrite();
  const [error, setError] = useState<Error>();
  async function save(form: FormData) {
    const body = {
      name: String(form.get("name")).trim(),
      address,
      isShared: form.get("isShared") !== null,
    };
    try {
      const idempotencyKey = crypto.randomUUID();
      await mutateAsync({ method: "PUT", path: VIEWS, body, idempotencyKey });
      close();
    } catch (caught) {
      setError(caught as Error);
    }
  }

  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(new FormData(event.currentTarget));
      }}
    >
      <label>
        Name of these filters
        <input className="field" name="name" required maxLength={80} autoComplete="off" />
      </label>
      {hasScope({ ...workspace, mode: "live" }, "projects:write") && (
        <label className="choice">
          <input type="checkbox" name="isShared" />
          For everybody in the project
        </label>
      )}
      {error && <ErrorNote error={error} />}
      <button type="submit" className="button primary">
        Save view
      </button>
    </form>
  );
}

function Item({
  view,
  filters,
  isRemovable,
  close,
}: {
  view: SavedView;
  filters: Filters;
  isRemovable: boolean;
  close: () => void;
}) {
  const { mutate } = useWrite();
  const { memberId, name, isShared } = view;
  const path = `${VIEWS}/${memberId}/${encodeURIComponent(name)}`;
  return (
    <li>
      <Link
        to="."
        search={(before: object) => ({ ...before, ...filters, after: undefined, open: undefined })}
        onClick={close}
      >
        {name}
        {isShared && <span className="faint"> shared</span>}
      </Link>
      {isRemovable && (
        <button
          type="button"
          className="copy"
          aria-label={`Remove view ${name}`}
          onClick={() => mutate({ method: "DELETE", path, idempotencyKey: crypto.randomUUID() })}
        >
          <Icon name="cross" isSmall />
        </button>
      )}
    </li>
  );
}

export function SavedViews({
  controls,
  values,
}: {
  controls: readonly Control[];
  values: FilterValues;
}) {
  const [isOpen, setOpen] = useState(false);
  const workspace = useWorkspace();
  const { pathname } = useLocation();
  const { data } = useApi<{ views: SavedView[] }>(VIEWS, { staleMs: STALE_MS });
  const names = controls.flatMap(({ filters }) => filters);
  const views = (data?.body.views ?? []).flatMap((view) => {
    const filters = readFilters(view, pathname, names);
    return filters === undefined ? [] : [{ view, filters }];
  });
  const query = formatQuery(values, names);
  const here = views.find(({ filters }) => formatQuery(filters, names) === query);
  const mayShare = hasScope({ ...workspace, mode: "live" }, "projects:write");
  if (views.length === 0 && query === "") return null;
  function close() {
    setOpen(false);
  }

  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button className={here ? "filter set" : "filter"}>
        {here && (
          <>
            View: <b>{here.view.name}</b>
          </>
        )}
        {!here && (views.length > 0 ? "Views" : "Save view")}
      </Button>
      <Popover className="menu filter-box" placement="bottom start">
        <Dialog aria-label="Views">
          {views.length > 0 && (
            <ul className="saved-views">
              {views.map(({ view, filters }) => (
                <Item
                  key={`${view.memberId} ${view.name}`}
                  view={view}
                  filters={filters}
                  isRemovable={view.memberId === workspace.session.member.id || mayShare}
                  close={close}
                />
              ))}
            </ul>
          )}
          {query !== "" && here === undefined && (
            <SaveForm address={`${pathname}?${query}`} close={close} />
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
