// Addresses of the dashboard. Each page is a file of its own, loaded when it is first opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  retainSearchParams,
} from "@tanstack/react-router";
import {
  auditFilters,
  customerFilters,
  deliveryFilters,
  eventFilters,
  keyFilters,
  paymentFilters,
  refundFilters,
  requestFilters,
  settlementFilters,
  transferFilters,
} from "./api/filters.ts";
import { Frame } from "./frame/frame.tsx";
import { Broken, Missing } from "./frame/missing.tsx";
import { linkFilters } from "./pages/links/address.ts";
import { parseNeedFilters } from "./pages/needs/filters.ts";
import { parseFilters, withOpen } from "./parts/filters/parse-filters.ts";
import { parseSearch, stringifySearch } from "./search-text.ts";

interface Everywhere {
  mode?: "test" | undefined;
  project?: string | undefined;
}

function parseEverywhere({ mode, project }: Record<string, unknown>): Everywhere {
  return {
    ...(mode === "test" && { mode }),
    ...(typeof project === "string" && { project }),
  };
}

/** For pages that read the texts themselves. */
function pickTexts<N extends string>(...names: readonly N[]) {
  return (search: Record<string, unknown>): { [Name in N]?: string | undefined } =>
    Object.fromEntries(
      names.flatMap((name) => (typeof search[name] === "string" ? [[name, search[name]]] : [])),
    ) as { [Name in N]?: string };
}

const root = createRootRoute({
  component: Frame,
  notFoundComponent: Missing,
  validateSearch: parseEverywhere,
  search: { middlewares: [retainSearchParams(["mode", "project"])] },
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: ({ currency }: Record<string, unknown>): { currency?: string | undefined } =>
    typeof currency === "string" ? { currency } : {},
}).lazy(async () => (await import("./pages/home/home.tsx")).Route);

const needs = createRoute({
  getParentRoute: () => root,
  path: "/needs",
  validateSearch: parseNeedFilters,
}).lazy(async () => (await import("./pages/needs/needs.tsx")).Route);

const payments = createRoute({
  getParentRoute: () => root,
  path: "/payments",
  validateSearch: parseFilters(paymentFilters),
}).lazy(async () => (await import("./pages/payments/payments.tsx")).Route);

const payment = createRoute({
  getParentRoute: () => root,
  path: "/payments/$id",
}).lazy(async () => (await import("./pages/payment/payment.tsx")).Route);

const links = createRoute({
  getParentRoute: () => root,
  path: "/links",
  validateSearch: withOpen(parseFilters(linkFilters)),
}).lazy(async () => (await import("./pages/links/links.tsx")).Route);

const refunds = createRoute({
  getParentRoute: () => root,
  path: "/refunds",
  validateSearch: parseFilters(refundFilters),
}).lazy(async () => (await import("./pages/refunds/refunds.tsx")).Route);

const refund = createRoute({
  getParentRoute: () => root,
  path: "/refunds/$id",
}).lazy(async () => (await import("./pages/refund/refund.tsx")).Route);

const settlements = createRoute({
  getParentRoute: () => root,
  path: "/settlements",
  validateSearch: parseFilters(settlementFilters),
}).lazy(async () => (await import("./pages/settlements/settlements.tsx")).Route);

const settlement = createRoute({
  getParentRoute: () => root,
  path: "/settlements/$id",
}).lazy(async () => (await import("./pages/settlement/settlement.tsx")).Route);

const customers = createRoute({
  getParentRoute: () => root,
  path: "/customers",
  validateSearch: parseFilters(customerFilters),
}).lazy(async () => (await import("./pages/customers/customers.tsx")).Route);

const customer = createRoute({
  getParentRoute: () => root,
  path: "/customers/$id",
}).lazy(async () => (await import("./pages/customer/customer.tsx")).Route);

const transfers = createRoute({
  getParentRoute: () => root,
  path: "/transfers",
  validateSearch: parseFilters(transferFilters),
}).lazy(async () => (await import("./pages/transfers/transfers.tsx")).Route);

const reports = createRoute({
  getParentRoute: () => root,
  path: "/reports",
  validateSearch: pickTexts("from", "to", "columns", "format"),
}).lazy(async () => (await import("./pages/reports/reports.tsx")).Route);

const month = createRoute({
  getParentRoute: () => root,
  path: "/reports/$month",
  validateSearch: pickTexts("after", "columns", "format"),
}).lazy(async () => (await import("./pages/month/month.tsx")).Route);

const deliveries = createRoute({
  getParentRoute: () => root,
  path: "/webhooks",
  validateSearch: withOpen(parseFilters(deliveryFilters)),
}).lazy(async () => (await import("./pages/webhooks/deliveries-page.tsx")).Route);

const endpoints = createRoute({
  getParentRoute: () => root,
  path: "/webhooks/endpoints",
}).lazy(async () => (await import("./pages/webhooks/endpoints-page.tsx")).Route);

const eventTypes = createRoute({
  getParentRoute: () => root,
  path: "/webhooks/types",
}).lazy(async () => (await import("./pages/webhooks/types-page.tsx")).Route);

const events = createRoute({
  getParentRoute: () => root,
  path: "/events",
  validateSearch: withOpen(parseFilters(eventFilters)),
}).lazy(async () => (await import("./pages/events/events.tsx")).Route);

const requests = createRoute({
  getParentRoute: () => root,
  path: "/requests",
  validateSearch: withOpen(parseFilters(requestFilters)),
}).lazy(async () => (await import("./pages/requests/requests.tsx")).Route);

const chains = createRoute({
  getParentRoute: () => root,
  path: "/chains",
}).lazy(async () => (await import("./pages/chains/chains.tsx")).Route);

const keys = createRoute({
  getParentRoute: () => root,
  path: "/keys",
  validateSearch: parseFilters(keyFilters),
}).lazy(async () => (await import("./pages/keys/keys.tsx")).Route);

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: parseFilters(auditFilters),
}).lazy(async () => (await import("./pages/audit/audit.tsx")).Route);

const branding = createRoute({
  getParentRoute: () => root,
  path: "/branding",
}).lazy(async () => (await import("./pages/branding/branding.tsx")).Route);

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
}).lazy(async () => (await import("./pages/settings/settings.tsx")).Route);

const members = createRoute({
  getParentRoute: () => root,
  path: "/members",
}).lazy(async () => (await import("./pages/members/members.tsx")).Route);

const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
}).lazy(async () => (await import("./pages/account/account.tsx")).Route);

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    needs,
    payments,
    payment,
    links,
    refunds,
    refund,
    settlements,
    settlement,
    customers,
    customer,
    transfers,
    reports,
    month,
    deliveries,
    endpoints,
    eventTypes,
    events,
    requests,
    chains,
    keys,
    branding,
    members,
    audit,
    settings,
    account,
  ]),
  basepath: "/dashboard",
  defaultPreload: "intent",
  defaultErrorComponent: Broken,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
