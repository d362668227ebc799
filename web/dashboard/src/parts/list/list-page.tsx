// A list of records: its views, filters, rows and pages. The address is its state.
import type { UseQueryResult } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { useApi } from "../../api/queries.ts";
import type { Answer } from "../../api/send.ts";
import { CopyAsCurl } from "../copy-as-curl.tsx";
import { type Control, type FilterValues, isSet } from "../filters/controls.ts";
import { type ChangeFilters, FilterBar } from "../filters/filter-bar.tsx";
import { Icon, type IconName } from "../icon.tsx";
import { Loaded, State } from "../states.tsx";
import { useMarkedChanges } from "./mark-changes.ts";
import { useSteadyRows } from "./steady-rows.ts";
import { type Column, Table } from "./table.tsx";

/** A named address of the list. */
export interface View {
  name: string;
  filters: FilterValues;
  /** How many wait there for a person. */
  count?: number | undefined;
}

interface ListPage<Item> {
  title: string;
  icon: IconName;
  /** One, and several. */
  noun: readonly [string, string];
  path: string;
  values: FilterValues;
  controls: readonly Control[];
  first: readonly string[];
  views?: readonly View[];
  /** In place of views, where each is a page. */
  nav?: ReactNode;
  columns: readonly Column[];
  renderRow: (item: Item) => ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
  /** After the number of records. */
  reach?: string | undefined;
  /** Where nothing fits the filters. */
  noMatch?: string | undefined;
  /** Where there is no record at all. */
  empty: { title: string; text: string; actions?: ReactNode };
  /** Between the filters and the rows. */
  children?: ReactNode;
  /** One record, beside the rows. */
  panel?: ReactNode;
}

interface Page<Item> {
  data: Item[];
  total: number;
}

type ListQuery<Item> = UseQueryResult<Answer<Page<Item>>, Error>;

/** A changed filter begins at the newest row. */
export function useChangeFilters(): ChangeFilters {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, ...change, after: undefined }),
    });
}

const ROWS_MAX = 50;

/** The request behind a list. */
export function buildPath(path: string, values: FilterValues, shown: readonly string[] = []) {
  const query = new URLSearchParams({ limit: String(ROWS_MAX) });
  if (shown.length > 0) query.set("expand", shown.join(","));
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, value);
  }
  return `${path}?${query}`;
}

function Views({ views }: { views: readonly View[] }) {
  const names = new Set(views.flatMap(({ filters }) => Object.keys(filters)));
  const none = Object.fromEntries([...names].map((name) => [name, undefined]));
  return (
    <nav className="views" aria-label="Views">
      {views.map(({ name, filters, count }) => (
        <Link
          key={name}
          to="."
          search={(before: object) => ({ ...before, ...none, ...filters, after: undefined })}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {name}
          {count !== undefined && count > 0 && <span className="n">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}

export function PageLinks({ values, next }: { values: FilterValues; next: string | null }) {
  function after(id: string | undefined) {
    return (before: object) => ({ ...before, after: id });
  }

  return (
    <span className="end">
      {values.after !== undefined && (
        <Link className="button" to="." search={after(undefined)}>
          <Icon name="newer" />
          Newest
        </Link>
      )}
      {next !== null && (
        <Link className="button" to="." search={after(next)}>
          Older
          <Icon name="older" />
        </Link>
      )}
    </span>
  );
}

export function NoRows({
  controls,
  values,
  noun,
  noMatch,
  icon,
  empty,
}: Pick<ListPage<unknown>, "controls" | "values" | "noun" | "noMatch" | "icon" | "empty">) {
  const change = useChangeFilters();
  const set = controls.filter((control) => isSet(control, values));
  if (set.length === 0) {
    return (
      <State icon={icon} title={empty.title} actions={empty.actions}>
        {empty.text}
      </State>
    );
  }
  const none = set.flatMap(({ filters }) => filters.map((filter) => [filter, undefined]));
  const title =
    set.length === 1
      ? `No ${noun[0]} fits the filter`
      : `No ${noun[0]} fits all ${set.length} filters`;
  return (
    <State
      icon="filter"
      title={title}
      actions={
        <button type="button" className="button" onClick={() => change(Object.fromEntries(none))}>
          Clear filters
        </button>
      }
    >
      {noMatch ?? "The filters above are all that is asked for."}
    </State>
  );
}

/** Over the head of the rows, so that it moves none of them. */
function Arrivals({ count, noun, show }: { count: number; noun: string; show: () => void }) {
  return (
    <div className="arrivals" role="status">
      {count > 0 && (
        <button type="button" className="button" onClick={show}>
          <Icon name="plus" />
          {count} new<span className="hidden-text"> {noun}</span>
        </button>
      )}
    </div>
  );
}

/** The rows of the newest answer as the reader may see them, and the table that they stand in. */
function useRows<Item extends { id: string }>(path: string, query: ListQuery<Item>) {
  const table = useRef<HTMLDivElement>(null);
  const { data, dataUpdatedAt, isPlaceholderData } = query;
  const isOwn = data !== undefined && !isPlaceholderData;
  const { steady, show } = useSteadyRows<Item>(
    isOwn ? { answer: data.body.data, at: dataUpdatedAt, path } : undefined,
  );
  const kept = isOwn ? steady : undefined;
  useMarkedChanges(table, kept);
  const wasShown = useRef(false);
  // The button that had the focus is gone.
  useEffect(() => {
    if (!wasShown.current || kept?.waiting !== 0) return;
    wasShown.current = false;
    table.current?.querySelector<HTMLElement>("td:first-child a, td:first-child button")?.focus();
  });
  return {
    table,
    rows: kept?.rows ?? data?.body.data ?? [],
    waiting: kept?.waiting ?? 0,
    show: () => {
      wasShown.current = true;
      show();
    },
  };
}

export function ListPage<Item extends { id: string }>(page: ListPage<Item>) {
  const { title, noun, path, values, controls, first, views, columns, renderRow, reach } = page;
  const query: ListQuery<Item> = useApi(path, { keepsPrevious: true });
  const { table, rows, waiting, show } = useRows(path, query);
  const change = useChangeFilters();
  const total = query.isPlaceholderData ? undefined : query.data?.body.total;
  return (
    <>
      <title>{title}</title>
      <div className="page-head">
        <h1>{title}</h1>
        <div className="end">
          {page.actions}
          <CopyAsCurl path={path} />
        </div>
      </div>
      {page.nav}
      {views && <Views views={views} />}
      <FilterBar controls={controls} first={first} values={values} change={change}>
        {total !== undefined && `${total.toLocaleString("en")} ${noun[total === 1 ? 0 : 1]}`}
        {reach}
      </FilterBar>
      {page.children}
      <div className={page.panel ? "split" : undefined}>
        <div ref={table}>
          <Arrivals count={waiting} noun={noun[waiting === 1 ? 0 : 1]} show={show} />
          <Loaded query={query} what={noun[1]}>
            {({ body: { total: count }, headers }) =>
              rows.length === 0 ? (
                <NoRows {...page} />
              ) : (
                <>
                  <Table columns={columns}>{rows.map(renderRow)}</Table>
                  <div className="list-foot">
                    <span>
                      {rows.length} of {count.toLocaleString("en")}
                    </span>
                    <PageLinks values={values} next={headers.get("X-Next-After")} />
                  </div>
                </>
              )
            }
          </Loaded>
        </div>
        {page.panel}
      </div>
    </>
  );
}
