// Addresses of the dashboard. Each page is a file of its own, loaded when it is first opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";
import { Frame } from "./frame/frame.tsx";
import { Missing } from "./frame/missing.tsx";
import { parseNeedFilters } from "./pages/needs/filters.ts";
import { parseFilters } from "./pages/payments/filters.ts";
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

const root = createRootRoute({
  component: Frame,
  notFoundComponent: Missing,
  validateSearch: parseEverywhere,
  search: { middlewares: [retainSearchParams(["mode", "project"])] },
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/payments", search: true });
  },
});

const needs = createRoute({
  getParentRoute: () => root,
  path: "/needs",
  validateSearch: parseNeedFilters,
}).lazy(async () => (await import("./pages/needs/route-page.tsx")).Route);

const payments = createRoute({
  getParentRoute: () => root,
  path: "/payments",
  validateSearch: parseFilters,
}).lazy(async () => (await import("./pages/payments/route-page.tsx")).Route);

const payment = createRoute({
  getParentRoute: () => root,
  path: "/payments/$id",
}).lazy(async () => (await import("./pages/payment/route-page.tsx")).Route);

const members = createRoute({
  getParentRoute: () => root,
  path: "/members",
}).lazy(async () => (await import("./pages/members/route-page.tsx")).Route);

const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
}).lazy(async () => (await import("./pages/account/route-page.tsx")).Route);

export const router = createRouter({
  routeTree: root.addChildren([home, needs, payments, payment, members, account]),
  basepath: "/dashboard",
  defaultPreload: "intent",
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
