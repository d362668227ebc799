// How the endpoints took the attempts of the last 24 hours.
import { Link } from "@tanstack/react-router";
import { countEvents, nameEndpoint, useEndpointHealth, useEndpoints } from "../../api/endpoints.ts";
import type { WebhookEndpoint, WebhookEndpointHealth } from "../../api/records.ts";
import { describeEndpoint, type Tone } from "../../status-words.ts";

const CARDS_MAX = 3;

type Hour = WebhookEndpointHealth["hours"][number];

function getTone({ succeeded, failed }: Hour): string {
  if (failed === 0) return succeeded === 0 ? "none" : "good";
  return succeeded === 0 ? "bad" : "mixed";
}

function describeHours({ hours, successRate }: WebhookEndpointHealth): string {
  if (successRate === null) return "Last 24 hours: no attempt";
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  const all = hours.reduce((sum, hour) => sum + hour.succeeded, failed);
  return `Last 24 hours: ${all - failed} of ${all} attempts succeeded`;
}

/** One for each hour, the present one last. */
export function Ticks({ health }: { health: WebhookEndpointHealth }) {
  return (
    <span className="ticks" role="img" aria-label={describeHours(health)}>
      {health.hours.map((hour) => (
        <i key={hour.from} className={getTone(hour)} />
      ))}
    </span>
  );
}

export function SuccessRate({ health: { successRate } }: { health: WebhookEndpointHealth }) {
  if (successRate === null) return null;
  return (
    <span className="rate">
      {successRate} %<span className="hidden-text"> of the attempts succeeded</span>
    </span>
  );
}

export function formatMedian({ medianMs }: WebhookEndpointHealth): string {
  return medianMs === null ? "" : ` · median ${medianMs.toLocaleString("en")} ms`;
}

/** An endpoint whose newest attempts all failed is failing, though it was not disabled yet. */
function findTone(endpoint: WebhookEndpoint, { hours }: WebhookEndpointHealth): Tone {
  const last = hours.findLast(({ succeeded, failed }) => succeeded + failed > 0);
  const { tone } = describeEndpoint(endpoint);
  return tone === "good" && last?.succeeded === 0 ? "bad" : tone;
}

function Card({ endpoint, health }: { endpoint: WebhookEndpoint; health: WebhookEndpointHealth }) {
  return (
    <li className="card end-card">
      <div className="head">
        <i className={`dot ${findTone(endpoint, health)}`} />
        <Link
          className="url plainlink"
          to="/webhooks"
          search={(before: object) => ({ ...before, endpointId: endpoint.id, after: undefined })}
        >
          {nameEndpoint(endpoint)}
        </Link>
        <SuccessRate health={health} />
      </div>
      <Ticks health={health} />
      <p className="small-13 quiet">
        {endpoint.enabled ? countEvents(endpoint) : describeEndpoint(endpoint).word}
        {formatMedian(health)}
      </p>
    </li>
  );
}

/** Those with the most failures. */
export function HealthCards() {
  const { data } = useEndpoints();
  const healths = useEndpointHealth();
  const known = (data?.body.data ?? []).flatMap((endpoint) => {
    const health = healths.get(endpoint.id);
    return health === undefined || endpoint.url === null ? [] : [{ endpoint, health }];
  });
  if (known.length === 0) return null;
  const worst = known.toSorted(
    (one, other) => (one.health.successRate ?? 101) - (other.health.successRate ?? 101),
  );
  return (
    <>
      <ul className="ends three" aria-label="Endpoints in the last 24 hours">
        {worst.slice(0, CARDS_MAX).map((one) => (
          <Card key={one.endpoint.id} {...one} />
        ))}
      </ul>
      {worst.length > CARDS_MAX && (
        <p className="small-13 quiet">
          <Link to="/webhooks/endpoints">All {worst.length} endpoints</Link>
        </p>
      )}
    </>
  );
}
