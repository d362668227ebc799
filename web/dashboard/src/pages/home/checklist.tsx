// What a new project does first; each step is ticked by what is really there.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApi } from "../../api/queries.ts";
import type { Project, ProjectKeyItem, WebhookEndpoint } from "../../api/records.ts";
import { hasScope, useWorkspace } from "../../api/session.ts";
import { Icon } from "../../parts/icon.tsx";

interface Page<Item> {
  data: Item[];
  total: number;
}

function useProject(): Project | undefined {
  const isWanted = hasScope(useWorkspace(), "projects:read");
  return useApi<Project>("/v1/projects/me?expand=wallets", { isWanted }).data?.body;
}

function useHasTestPayment(): boolean {
  const path = "/v1/payments?limit=1";
  return (useApi<Page<unknown>>(path, { mode: "test" }).data?.body.total ?? 0) > 0;
}

function useHasEndpoint(): boolean {
  const isWanted = hasScope(useWorkspace(), "webhooks:read");
  const answer = useApi<Page<WebhookEndpoint>>("/v1/webhook-endpoints?limit=100", { isWanted });
  return answer.data?.body.data.some(({ url }) => url !== null) ?? false;
}

function useHasLiveKey(): boolean {
  const isWanted = hasScope({ ...useWorkspace(), mode: "live" }, "keys:read");
  const path = "/v1/projects/me/keys?type=secret&state=active&limit=100";
  const answer = useApi<Page<ProjectKeyItem>>(path, { isWanted, mode: "live" });
  return answer.data?.body.data.some(({ mode }) => mode === "live") ?? false;
}

function Step({ isDone, children, text }: { isDone: boolean; children: ReactNode; text: string }) {
  return (
    <li>
      <span className={isDone ? "badge good" : "badge"}>
        <Icon name={isDone ? "check" : "waiting"} />
      </span>
      <div>
        <b>{children}</b>
        <p>{text}</p>
      </div>
      {isDone && <span className="end">Done</span>}
    </li>
  );
}

export function Checklist() {
  const project = useProject();
  const wallets = project?.wallets ?? [];
  return (
    <section className="card steps" aria-label="First steps">
      <h2>First steps</h2>
      <ol>
        <Step
          isDone={wallets.length > 0}
          text="Where the money goes when a payment names no other wallet."
        >
          <Link to="/settings">Name your wallet</Link>
        </Step>
        <Step isDone={useHasTestPayment()} text="With a link, in test mode: no real money moves.">
          <Link to="/links" search={{ mode: "test", open: "new" }}>
            Take a test payment
          </Link>
        </Step>
        <Step isDone={useHasEndpoint()} text="Your shop learns that an order is paid.">
          <Link to="/webhooks/endpoints">Add a webhook endpoint</Link>
        </Step>
        <Step
          isDone={project?.brandingConfig != null}
          text="Name, logo and colour on the page on which people pay."
        >
          <Link to="/branding">Give the checkout your brand</Link>
        </Step>
        <Step isDone={useHasLiveKey()} text="With it your shop creates payments.">
          <Link to="/keys">Make a live key</Link>
        </Step>
      </ol>
    </section>
  );
}
