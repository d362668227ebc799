import { createLazyRoute, Link } from "@tanstack/react-router";
import { nameEndpoint, useEndpoints } from "../../api/endpoints.ts";
import { useApi } from "../../api/queries.ts";
import type { EventItem, WebhookEndpointDeliveryItem } from "../../api/records.ts";
import { CodeTabs } from "../../parts/code-tabs.tsx";
import { CopyAsCurl } from "../../parts/copy-as-curl.tsx";
import { isSet } from "../../parts/filters/controls.ts";
import { FilterBar } from "../../parts/filters/filter-bar.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Id, shortenId } from "../../parts/id.tsx";
import { buildPath, useChangeFilters } from "../../parts/list/list-page.tsx";
import { openRow, Table } from "../../parts/list/table.tsx";
import { Loaded, State } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describeDelivery } from "../../status-words.ts";
import { formatExact, getZoneName } from "../../times.ts";
import { CONTROLS, FIRST, type Filters, type Search } from "./filters.ts";

interface Events {
  data: EventItem[];
  hasMore: boolean;
}

interface Deliveries {
  data: WebhookEndpointDeliveryItem[];
}

function Deliveries({ eventId }: { eventId: string }) {
  const query = useApi<Deliveries>(`/v1/deliveries?eventId=${eventId}`);
  const endpoints = useEndpoints().data?.body.data ?? [];
  return (
    <Loaded query={query} what="deliveries">
      {({ body: { data } }) =>
        data.length === 0 ? (
          <p className="quiet small-13">No endpoint was told of it.</p>
        ) : (
          <ul>
            {data.map((delivery) => {
              const { id, endpointId } = delivery;
              const endpoint = endpoints.find((one) => one.id === endpointId);
              return (
                <li className="try" key={id}>
                  <Link to="/webhooks" search={{ eventId, open: `${endpointId}.${id}` }}>
                    {endpoint === undefined ? shortenId(endpointId) : nameEndpoint(endpoint)}
                  </Link>
                  <span />
                  <Status words={describeDelivery(delivery)} />
                </li>
              );
            })}
          </ul>
        )
      }
    </Loaded>
  );
}

function Subject({ id }: { id: string }) {
  if (id.startsWith("pay_")) {
    return (
      <Link to="/payments/$id" params={{ id }}>
        Payment {shortenId(id)}
      </Link>
    );
  }
  return <Id text={id} label="id" />;
}

function Panel({ event }: { event: EventItem }) {
  const { id, type, resourceId, sequence, occurredAt, body } = event;
  return (
    <aside className="card panel" aria-label="Event">
      <header>
        <h2 className="mono">{type}</h2>
        <span className="end">
          <Link
            className="button plain icon-only"
            aria-label="Close"
            to="/events"
            search={(before: object) => ({ ...before, open: undefined })}
          >
            <Icon name="cross" />
          </Link>
        </span>
      </header>
      <div className="body">
        <dl className="facts">
          <div>
            <dt>Event</dt>
            <dd>
              <Id text={id} label="event id" />
            </dd>
          </div>
          <div>
            <dt>About, its change {sequence}</dt>
            <dd>
              <Subject id={resourceId} />
            </dd>
          </div>
          <div>
            <dt>Happened</dt>
            <dd>
              <Time at={occurredAt} format={formatExact} />
            </dd>
          </div>
        </dl>
        <CodeTabs label="What endpoints are told" tabs={[{ name: "Body", text: body }]} />
        <div>
          <h3>Deliveries</h3>
          <Deliveries eventId={id} />
        </div>
      </div>
    </aside>
  );
}

function Row({ event, isOpen }: { event: EventItem; isOpen: boolean }) {
  const { id, type, resourceId, occurredAt } = event;
  return (
    <tr onClick={openRow} aria-selected={isOpen}>
      <td className="mono">
        <Link
          className="plainlink"
          to="/events"
          search={(before: object) => ({ ...before, open: id })}
          resetScroll={false}
        >
          {type}
        </Link>
      </td>
      <td className="grow sub mono">{shortenId(resourceId)}</td>
      <td className="when r right">
        <Time at={occurredAt} />
      </td>
    </tr>
  );
}

function NoRows({ search }: { search: Filters }) {
  const change = useChangeFilters();
  const set = CONTROLS.filter((control) => isSet(control, search));
  if (set.length === 0) {
    return (
      <State icon="events" title="Nothing has happened yet">
        Each change of a payment, refund, settlement or customer appears here.
      </State>
    );
  }
  const none = set.flatMap(({ filters }) => filters.map((filter) => [filter, undefined]));
  return (
    <State
      icon="filter"
      title={
        set.length === 1 ? "No event fits the filter" : `No event fits all ${set.length} filters`
      }
      actions={
        <button type="button" className="button" onClick={() => change(Object.fromEntries(none))}>
          Clear filters
        </button>
      }
    >
      Events are kept for 30 days.
    </State>
  );
}

function Foot({ search, next }: { search: Filters; next: string | undefined }) {
  return (
    <div className="list-foot">
      <span className="end">
        {search.after !== undefined && (
          <Link
            className="button"
            to="."
            search={(before: object) => ({ ...before, after: undefined })}
          >
            <Icon name="newer" />
            Newest
          </Link>
        )}
        {next !== undefined && (
          <Link className="button" to="." search={(before: object) => ({ ...before, after: next })}>
            Older
            <Icon name="older" />
          </Link>
        )}
      </span>
    </div>
  );
}

const COLUMNS = [
  { name: "Event" },
  { name: "About" },
  { name: `Happened, ${getZoneName()}`, isRight: true },
];

function EventsPage({ search: { open, ...filters } }: { search: Search }) {
  const path = buildPath("/v1/events", { ...filters, order: "newest" });
  const query = useApi<Events>(path, { keepsPrevious: true });
  const change = useChangeFilters();
  return (
    <>
      <title>Events</title>
      <div className="page-head">
        <h1>Events</h1>
        <div className="end">
          <CopyAsCurl path={path} />
        </div>
      </div>
      <FilterBar controls={CONTROLS} first={FIRST} values={filters} change={change}>
        {null}
      </FilterBar>
      <Loaded query={query} what="events">
        {({ body: { data, hasMore } }) => {
          const shown = data.find(({ id }) => id === open);
          if (data.length === 0) return <NoRows search={filters} />;
          return (
            <div className={shown === undefined ? undefined : "split"}>
              <div>
                <Table columns={COLUMNS}>
                  {data.map((event) => (
                    <Row key={event.id} event={event} isOpen={event === shown} />
                  ))}
                </Table>
                <Foot search={filters} next={hasMore ? data.at(-1)?.id : undefined} />
              </div>
              {shown !== undefined && <Panel event={shown} />}
            </div>
          );
        }}
      </Loaded>
    </>
  );
}

export const Route = createLazyRoute("/events")({
  component: function EventLogPage() {
    return <EventsPage search={Route.useSearch()} />;
  },
});
