// What webhook endpoints were told about a payment.
import { useState } from "react";
import { useApi, useWrite } from "../../api/queries.ts";
import type { WebhookEndpoint, WebhookEndpointDeliveryItem } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { ErrorText, Loaded } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describeDelivery } from "../../status-words.ts";

interface Page<Item> {
  data: Item[];
}

const ENDPOINTS_PATH = "/v1/webhook-endpoints";
const ENDPOINTS_MAX = 100;
const ROWS_MAX = 20;

function Resend({ delivery }: { delivery: WebhookEndpointDeliveryItem }) {
  const { mutate, isPending, error } = useWrite();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const { endpointId, id } = delivery;
  const path = `${ENDPOINTS_PATH}/${endpointId}/deliveries/${id}/redeliver`;
  return (
    <>
      <button
        type="button"
        className="button"
        disabled={isPending}
        onClick={() => mutate({ path, idempotencyKey })}
      >
        Resend
      </button>
      {error && (
        <span className="small" role="alert">
          <ErrorText error={error} />
        </span>
      )}
    </>
  );
}

function Row({ delivery }: { delivery: WebhookEndpointDeliveryItem }) {
  const { eventType, attempts, createdAt, state } = delivery;
  const canResend = hasScope(useWorkspace(), "webhooks:write");
  const isFailed = state === "failed" || state === "parked";
  return (
    <tr>
      <td className="mono">{eventType}</td>
      <td className="r">
        <Status words={describeDelivery(delivery)} />
      </td>
      <td className="grow sub">
        {attempts.length} attempt{attempts.length === 1 ? "" : "s"}
      </td>
      <td className="when r right">
        {isFailed && canResend ? (
          // Each redelivery is another write.
          <Resend key={delivery.redeliveries} delivery={delivery} />
        ) : (
          <Time at={createdAt} />
        )}
      </td>
    </tr>
  );
}

function EndpointRows({
  endpoint: { id, url },
  paymentId,
}: {
  endpoint: WebhookEndpoint;
  paymentId: string;
}) {
  const query = useApi<Page<WebhookEndpointDeliveryItem>>(
    `${ENDPOINTS_PATH}/${id}/deliveries?resourceId=${paymentId}&limit=${ROWS_MAX}`,
  );
  return (
    <>
      <h3>{url}</h3>
      <Loaded query={query} what="deliveries">
        {({ body: { data } }) =>
          data.length === 0 ? (
            <p className="quiet">Nothing was sent to it for this payment.</p>
          ) : (
            <table className="list">
              <thead className="hidden-text">
                <tr>
                  <th scope="col">Event</th>
                  <th scope="col">Answer</th>
                  <th scope="col">Attempts</th>
                  <th scope="col">Time</th>
                </tr>
              </thead>
              <tbody>
                {data.map((delivery) => (
                  <Row key={delivery.id} delivery={delivery} />
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </>
  );
}

export function Deliveries({ paymentId }: { paymentId: string }) {
  const canSee = hasScope(useWorkspace(), "webhooks:read");
  const query = useApi<Page<WebhookEndpoint>>(`${ENDPOINTS_PATH}?limit=${ENDPOINTS_MAX}`, {
    isWanted: canSee,
  });
  if (!canSee) return null;
  return (
    <section className="section">
      <header>
        <h2>Webhook deliveries</h2>
      </header>
      <Loaded query={query} what="webhook endpoints">
        {({ body: { data } }) => {
          const endpoints = data.filter(({ url }) => url !== null);
          if (endpoints.length === 0) {
            return <p className="quiet gap-2">No endpoint receives webhooks in this mode.</p>;
          }
          return endpoints.map((endpoint) => (
            <EndpointRows key={endpoint.id} endpoint={endpoint} paymentId={paymentId} />
          ));
        }}
      </Loaded>
    </section>
  );
}
