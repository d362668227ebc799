import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

const VIEWS = [
  { to: "/webhooks", name: "Deliveries" },
  { to: "/webhooks/endpoints", name: "Endpoints" },
  { to: "/webhooks/types", name: "Event types" },
] as const;

export function WebhookViews() {
  return (
    <nav className="views" aria-label="Views">
      {VIEWS.map(({ to, name }) => (
        <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

export function WebhookHead({ children }: { children?: ReactNode }) {
  return (
    <>
      <title>Webhooks</title>
      <div className="page-head">
        <h1>Webhooks</h1>
        <div className="end">{children}</div>
      </div>
      <WebhookViews />
    </>
  );
}
