// The endpoints that receive webhooks, which several pages name.
import type { UseQueryResult } from "@tanstack/react-query";
import { shortenId } from "../parts/id.tsx";
import { useApi } from "./queries.ts";
import type {
  WebhookEndpoint,
  WebhookEndpointDelivery,
  WebhookEndpointHealth,
  WebhookEndpointHealthList,
} from "./records.ts";
import type { Answer } from "./send.ts";

export const ENDPOINTS_PATH = "/v1/webhook-endpoints";

/** A project has at most twenty. */
const LIMIT = 100;
const HEALTH_AGAIN_MS = 60_000;

export interface Endpoints {
  data: WebhookEndpoint[];
}

export function useEndpoints(isWanted = true): UseQueryResult<Answer<Endpoints>, Error> {
  return useApi(`${ENDPOINTS_PATH}?limit=${LIMIT}`, { isWanted });
}

/** The address as people know it. */
export function nameEndpoint({
  url,
  isDefault,
  id,
}: Pick<WebhookEndpoint, "url" | "isDefault" | "id">): string {
  const address = URL.parse(url ?? "");
  if (address === null) return isDefault ? "Callback URL" : shortenId(id);
  return address.pathname === "/" ? address.host : `${address.host}${address.pathname}`;
}

/** How the attempts of the last 24 hours went, by endpoint. */
export function useEndpointHealth(): ReadonlyMap<string, WebhookEndpointHealth> {
  const { data } = useApi<WebhookEndpointHealthList>("/v1/deliveries/health", {
    refetchMs: HEALTH_AGAIN_MS,
  });
  return new Map(data?.body.data.map((health) => [health.endpointId, health]));
}

export function countEvents({ events }: Pick<WebhookEndpoint, "events">): string {
  if (events.length === 0) return "All events";
  return events.length === 1 ? "1 event type" : `${events.length} event types`;
}

/** Both ids, because a delivery is read through its endpoint. */
export function formatOpen({
  endpointId,
  id,
}: Pick<WebhookEndpointDelivery, "endpointId" | "id">): string {
  return `${endpointId}.${id}`;
}
