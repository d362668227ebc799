import { createLazyRoute } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../../api/queries.ts";
import type { EventItem } from "../../api/records.ts";
import { CodeTabs } from "../../parts/code-tabs.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/states.tsx";
import { EVENT_TYPES } from "./endpoint-dialogs.tsx";
import { WebhookHead } from "./head.tsx";

interface Events {
  data: EventItem[];
}

/** An event of this project. */
function Example({ type }: { type: string }) {
  const query = useApi<Events>(`/v1/events?type=${type}&limit=1`, {
    staleMs: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={query} what="the example">
      {({ body: { data } }) =>
        data[0] === undefined ? (
          <p className="quiet">None has happened yet in this mode.</p>
        ) : (
          <CodeTabs label={`Example of ${type}`} tabs={[{ name: "Body", text: data[0].body }]} />
        )
      }
    </Loaded>
  );
}

function Type({ type }: { type: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="proof" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="next" isSmall />
        <span className="mono">{type}</span>
      </summary>
      <div className="example">{isOpen && <Example type={type} />}</div>
    </details>
  );
}

function TypesPage() {
  return (
    <>
      <WebhookHead />
      <p className="quiet gap-4">
        What an endpoint can be told, each with an event of your own. What each means stands in{" "}
        <a href="/docs">the reference</a>.
      </p>
      <div className="types">
        {EVENT_TYPES.map((type) => (
          <Type key={type} type={type} />
        ))}
      </div>
    </>
  );
}

export const Route = createLazyRoute("/webhooks/types")({ component: TypesPage });
