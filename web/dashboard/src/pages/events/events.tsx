import { createLazyRoute, Link } from "@tanstack/react-router";
import { formatOpen, nameEndpoint, useEndpoints } from "../../api/endpoints.ts";
import { useApi } from "../../api/queries.ts";
import type { EventItem, WebhookEndpointDeliveryItem } from "../../api/records.ts";
import { CodeTabs } from "../../parts/code-tabs.tsx";
import { CopyAsCurl } from "../../parts/copy-as-curl.tsx";
import { Fact } from "../../parts/fact.tsx";
import { FilterBar } from "../../parts/filters/filter-bar.tsx";
import { Id, shortenId } from "../../parts/id.tsx";
import { buildPath, NoRows, PageLinks, useChangeFilters } from "../../parts/list/list-page.tsx";
import { openRow, Table } from "../../parts/list/table.tsx";
import { ClosePanel, Subject } from "../../parts/panel.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describeDelivery } from "../../status-words.ts";
import { formatExact, getZoneName } from "../../times.ts";
import { CONTROLS, FIRST, type Search } from "./filters.ts";

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
                  <Link to="/webhooks" search={{ eventId, open: formatOpen(delivery) }}>
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

function Panel({ event }: { event: EventItem }) {
  const { id, type, resourceId, sequence, occurredAt, body } = event;
  return (
    <aside className="card panel" aria-label="Event">
      <header>
        <h2 className="mono">{type}</h2>
        <span className="end">
          <ClosePanel />
        </span>
      </header>
      <div className="body">
        <dl className="facts">
          <Fact name="Event">
            <Id text={id} label="event id" />
          </Fact>
          <Fact name={`About, its change ${sequence}`}>
            <Subject id={resourceId} />
          </Fact>
          <Fact name="Happened">
            <Time at={occurredAt} format={formatExact} />
          </Fact>
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
          if (data.length === 0) {
            return (
              <NoRows
                controls={CONTROLS}
                values={filters}
                noun={["event", "events"]}
                noMatch="Events are kept for 30 days."
                icon="events"
                empty={{
                  title: "Nothing has happened yet",
                  text: "Each change of a payment, refund, settlement or customer appears here.",
                }}
              />
            );
          }
          return (
            <div className={shown === undefined ? undefined : "split"}>
              <div>
                <Table
                  columns={[
                    { name: "Event" },
                    { name: "About" },
                    { name: `Happened, ${getZoneName()}`, isRight: true },
                  ]}
                >
                  {data.map((event) => (
                    <Row key={event.id} event={event} isOpen={event === shown} />
                  ))}
                </Table>
                <div className="list-foot">
                  <PageLinks values={filters} next={hasMore ? (data.at(-1)?.id ?? null) : null} />
                </div>
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
