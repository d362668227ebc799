// A list of records: its views, filters, rows and pages. The address is its state.
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../../api/queries.ts";
import { CopyAsCurl } from "../copy-as-curl.tsx";
import { type Control, type FilterValues, isSet } from "../filters/controls.ts";
import { type ChangeFilters, FilterBar } from "../filters/filter-bar.tsx";
import { Icon, type IconName } from "../icon.tsx";
import { Loaded, State } from "../states.tsx";
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

interface Answer<Item> {
  data: Item[];
  total: number;
}

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

export function ListPage<Item extends { id: string }>(page: ListPage<Item>) {
  const { title, noun, path, values, controls, first, views, columns, renderRow, reach } = page;
  const query = useApi<Answer<Item>>(path, { keepsPrevious: true });
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
        <div>
          <Loaded query={query} what={noun[1]}>
            {({ body: { data, total: count }, headers }) =>
              data.length === 0 ? (
                <NoRows {...page} />
              ) : (
                <>
                  <Table columns={columns}>{data.map(renderRow)}</Table>
                  <div className="list-foot">
                    <span>
                      {data.length} of {count.toLocaleString("en")}
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
