import { createLazyRoute, Link } from "@tanstack/react-router";
import { formatOpen, nameEndpoint, useEndpoints } from "../../api/endpoints.ts";
import type { WebhookEndpoint, WebhookEndpointDeliveryItem } from "../../api/records.ts";
import { shortenId } from "../../parts/id.tsx";
import { buildPath, ListPage } from "../../parts/list/list-page.tsx";
import { openRow } from "../../parts/list/table.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describeDelivery } from "../../status-words.ts";
import { getZoneName } from "../../times.ts";
import { CONTROLS, FIRST, type Search } from "./filters.ts";
import { WebhookViews } from "./head.tsx";
import { HealthCards } from "./health.tsx";
import { DeliveryPanel } from "./panel.tsx";

const ATTEMPTS_MAX = 4;

function Attempts({ delivery: { attempts, state } }: { delivery: WebhookEndpointDeliveryItem }) {
  const marks = attempts.map(({ number, statusCode }) => ({
    number,
    tone: statusCode !== null && statusCode >= 200 && statusCode < 300 ? "good" : "bad",
  }));
  const isOn = state === "pending" && attempts.length < ATTEMPTS_MAX;
  return (
    <span
      className="tries"
      role="img"
      aria-label={`${attempts.length} attempt${attempts.length === 1 ? "" : "s"}`}
    >
      {marks.map(({ number, tone }) => (
        <i key={number} className={`dot ${tone}`} />
      ))}
      {isOn && <i className="dot next" />}
    </span>
  );
}

function Row({
  delivery,
  endpoint,
  isOpen,
}: {
  delivery: WebhookEndpointDeliveryItem;
  endpoint: WebhookEndpoint | undefined;
  isOpen: boolean;
}) {
  const { eventType, endpointId, attempts, createdAt, redeliveries } = delivery;
  const open = formatOpen(delivery);
  return (
    <tr onClick={openRow} aria-selected={isOpen}>
      <td className="mono">
        <Link
          className="plainlink"
          to="/webhooks"
          search={(before: object) => ({ ...before, open })}
          resetScroll={false}
        >
          {eventType}
        </Link>
      </td>
      <td className="grow sub wide">
        {endpoint === undefined ? shortenId(endpointId) : nameEndpoint(endpoint)}
        {redeliveries > 0 && <span className="faint">, resent</span>}
      </td>
      <td className="wide">
        <Attempts delivery={delivery} />
      </td>
      <td className="r">
        <Status words={describeDelivery(delivery)} />
      </td>
      <td className="when r right">
        <Time at={attempts.at(-1)?.startedAt ?? createdAt} />
      </td>
    </tr>
  );
}

function DeliveriesPage({ search: { open, ...filters } }: { search: Search }) {
  const { data } = useEndpoints();
  const endpoints = new Map(data?.body.data.map((endpoint) => [endpoint.id, endpoint]));
  return (
    <ListPage<WebhookEndpointDeliveryItem>
      title="Webhooks"
      icon="webhooks"
      noun={["delivery", "deliveries"]}
      path={buildPath("/v1/deliveries", filters)}
      values={filters}
      controls={CONTROLS}
      first={FIRST}
      nav={
        <>
          <WebhookViews />
          <HealthCards />
        </>
      }
      columns={[
        { name: "Event" },
        { name: "To", isWide: true },
        { name: "Attempts", isWide: true },
        { name: "Answer" },
        { name: `Last, ${getZoneName()}`, isRight: true },
      ]}
      renderRow={(delivery) => (
        <Row
          key={delivery.id}
          delivery={delivery}
          endpoint={endpoints.get(delivery.endpointId)}
          isOpen={open === formatOpen(delivery)}
        />
      )}
      empty={{
        title: "Nothing was sent yet",
        text: "Each event that an endpoint is told appears here, with every attempt.",
        actions: (
          <Link className="button" to="/webhooks/endpoints">
            Show endpoints
          </Link>
        ),
      }}
      panel={open !== undefined && <DeliveryPanel key={open} open={open} />}
    />
  );
}

export const Route = createLazyRoute("/webhooks")({
  component: function WebhooksPage() {
    return <DeliveriesPage search={Route.useSearch()} />;
  },
});
