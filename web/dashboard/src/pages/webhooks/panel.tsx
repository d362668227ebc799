// One delivery beside the list: what was sent, each attempt, what came back.
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { ENDPOINTS_PATH, formatOpen, nameEndpoint, useEndpoints } from "../../api/endpoints.ts";
import { useApi, useWrite } from "../../api/queries.ts";
import type { WebhookEndpointDelivery } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { CodeTabs } from "../../parts/code-tabs.tsx";
import { Fact } from "../../parts/fact.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Id, shortenId } from "../../parts/id.tsx";
import { ClosePanel, Subject } from "../../parts/panel.tsx";
import { ErrorNote, Loaded } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { describeDelivery } from "../../status-words.ts";
import { formatExact, formatWhen } from "../../times.ts";

type Attempt = WebhookEndpointDelivery["attempts"][number];

/** The id in a body, which names what the event is about. */
function findSubject(body: string): string | undefined {
  return /"id"\s*:\s*"((?:pay|refund|stl|cust|tr|proj|key)_\w+)"/.exec(body)?.[1];
}

function About({ body }: { body: string }) {
  const id = findSubject(body);
  if (id === undefined) return <span className="faint">Nothing but the endpoint</span>;
  return <Subject id={id} />;
}

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p className="quiet">None yet.</p>;
  return (
    <ol>
      {attempts.map(({ number, statusCode, error, durationMs, startedAt, retryAfter }) => {
        const isTaken = statusCode !== null && statusCode >= 200 && statusCode < 300;
        return (
          <li className="try" key={number}>
            <i className={isTaken ? "dot good" : "dot bad"} />
            <span>
              {statusCode ?? error ?? "No answer"} <small>{durationMs} ms</small>
              {retryAfter !== null && <small> asks to wait {retryAfter}</small>}
            </span>
            <span className="faint">
              <Time at={startedAt} format={formatExact} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** The headers that every attempt has. The signature is made anew for each and not kept. */
function describeRequest({ eventType, eventId, attempts }: WebhookEndpointDelivery, mode: string) {
  const last = attempts.at(-1);
  const at = last === undefined ? "" : Math.floor(Date.parse(last.startedAt) / 1_000);
  const lines = [
    `POST ${last?.url ?? ""}`,
    "Content-Type: application/json",
    `X-Service-Event: ${eventType}`,
    `X-Service-Event-Id: ${eventId}`,
    `X-Service-Mode: ${mode}`,
    `X-Service-Attempt: ${last?.number ?? 1}`,
    `X-Service-Timestamp: ${at}`,
    "X-Service-Signature: (not kept)",
  ];
  return lines.join("\n");
}

function Resend({ delivery }: { delivery: WebhookEndpointDelivery }) {
  const { mutate, isPending, error } = useWrite<WebhookEndpointDelivery>();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const navigate = useNavigate();
  const path = `${ENDPOINTS_PATH}/${delivery.endpointId}/deliveries/${delivery.id}/redeliver`;
  function resend() {
    mutate(
      { path, idempotencyKey },
      {
        onSuccess: ({ body }) => {
          const open = formatOpen(body);
          void navigate({ to: "/webhooks", search: (before: object) => ({ ...before, open }) });
        },
      },
    );
  }

  return (
    <>
      <button type="button" className="button" disabled={isPending} onClick={resend}>
        <Icon name="retry" />
        Resend
      </button>
      {error && <ErrorNote error={error} />}
    </>
  );
}

function Content({ delivery }: { delivery: WebhookEndpointDelivery }) {
  const { mode } = useWorkspace();
  const { data } = useEndpoints();
  const { eventId, endpointId, body, attempts, redeliveries, createdAt } = delivery;
  const endpoint = data?.body.data.find(({ id }) => id === endpointId);
  return (
    <div className="body">
      <dl className="facts">
        <Fact name="Event">
          <Id text={eventId} label="event id" />
        </Fact>
        <Fact name="About">
          <About body={body} />
        </Fact>
        <Fact name="To">
          {endpoint === undefined ? shortenId(endpointId) : nameEndpoint(endpoint)}
        </Fact>
        <Fact
          name={
            redeliveries > 0
              ? `Resent, ${redeliveries} time${redeliveries === 1 ? "" : "s"}`
              : "Made"
          }
        >
          <Time at={createdAt} format={formatWhen} />
        </Fact>
      </dl>
      <div>
        <h3>Attempts</h3>
        <Attempts attempts={attempts} />
      </div>
      <CodeTabs
        label="What was sent and what came back"
        tabs={[
          { name: "Body", text: body },
          { name: "Headers", text: describeRequest(delivery, mode) },
          { name: "Answer", text: attempts.at(-1)?.response ?? "" },
        ]}
      />
    </div>
  );
}

export function DeliveryPanel({ open }: { open: string }) {
  const [endpointId = "", id = ""] = open.split(".");
  const canResend = hasScope(useWorkspace(), "webhooks:write");
  const query = useApi<WebhookEndpointDelivery>(`${ENDPOINTS_PATH}/${endpointId}/deliveries/${id}`);
  const delivery = query.data?.body;
  const isOver = delivery !== undefined && delivery.state !== "pending";
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another delivery is another panel
  useEffect(() => panel.current?.focus({ preventScroll: true }), [open]);
  return (
    <aside className="card panel" aria-label="Delivery" ref={panel} tabIndex={-1}>
      <header>
        {delivery !== undefined && (
          <>
            <h2 className="mono">{delivery.eventType}</h2>
            <Status words={describeDelivery(delivery)} />
          </>
        )}
        <span className="end">
          {isOver && canResend && <Resend key={delivery.id} delivery={delivery} />}
          <ClosePanel />
        </span>
      </header>
      <Loaded query={query} what="the delivery">
        {({ body }) => <Content delivery={body} />}
      </Loaded>
    </aside>
  );
}
