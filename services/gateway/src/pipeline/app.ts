// The Express app, made from the table of routes: each path gets its methods, its answer to other methods and its
// answer to preflight requests. Every other path is not found.

import { Failure } from "@pay/failures";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import type { GatewayConfig } from "../config.ts";
import { errorHandler } from "../http/error-handler.ts";
import { endConnection } from "../http/respond.ts";
import { answerPreflight } from "./cors.ts";
import type { Deps } from "./deps.ts";
import { createRouteHandler } from "./handle-route.ts";
import type { Limits } from "./limits/limits.ts";
import { requestContext } from "./request-context.ts";
import { type Incoming, isOpenToPages, type Params, type Route } from "./route.ts";

export function createApp(
  config: Pick<
    GatewayConfig,
    "TRUST_PROXY" | "REQUIRE_HTTPS" | "PUBLIC_URL" | "LOG_CLIENT_ADDRESS"
  >,
  deps: Deps,
  options: { routes: readonly Route[]; limits: Limits; mountPages(app: Express): void },
): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", false);
  app.set("trust proxy", config.TRUST_PROXY);
  app.use(requestContext(config, deps));
  for (const [path, routes] of byPath(options.routes))
    mount(app, path, routes, deps, options.limits);
  app.use(limitPages(options.limits));
  options.mountPages(app);
  app.use(() => {
    throw new Failure("route_not_found", "Not found");
  });
  app.use(errorHandler(deps));
  return app;
}

const FILES = /^\/(?:pay|dashboard)\/files\//;

/** Whatever is no route of the API counts against the address that asks for it. */
function limitPages({ takePage }: Limits) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const kind = FILES.test(request.path) ? "files" : "address";
    await takePage(kind, { clientAddress: () => request.ip ?? "" }, response);
    next();
  };
}

function byPath(routes: readonly Route[]): Map<string, Route[]> {
  const paths = new Map<string, Route[]>();
  for (const route of routes) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
  return paths;
}

const VERBS = { GET: "get", POST: "post", PUT: "put", DELETE: "delete" } as const;

function mount(
  app: Express,
  template: string,
  routes: readonly Route[],
  deps: Deps,
  limits: Limits,
): void {
  const path = template.replace(/\{(\w+)\}/g, ":$1");
  for (const route of routes) {
    const handle = createRouteHandler(route, deps, limits);
    app[VERBS[route.method]](path, async (request: Request, response: Response) => {
      response.locals.route = template;
      const incoming = toIncoming(request, response);
      response.locals.incoming = incoming;
      await handle(incoming);
    });
  }
  const methods = routes.map(({ method }) => method as string);
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const allow = [...allowed, "OPTIONS"].join(", ");
  const open = routes.filter(isOpenToPages).map(({ method }) => method);
  app.options(path, (request: Request, response: Response) => {
    response.locals.route = template;
    response.setHeader("Allow", allow);
    if (open.length > 0) answerPreflight(response, request.headers.origin, open);
    endConnection(response, deps.stopping);
    response.status(204).end();
  });
  app.all(path, (_request: Request, response: Response, _next: NextFunction) => {
    response.locals.route = template;
    response.setHeader("Allow", allow);
    throw new Failure("method_not_allowed", "Method not allowed");
  });
}

function toIncoming(request: Request, response: Response): Incoming {
  const { url } = request;
  // Of an address with a slash at its end the same idempotency key is the same.
  const path = request.path.replace(/\/$/, "");
  const mark = url.indexOf("?");
  return {
    request,
    response,
    requestId: response.locals.requestId,
    params: request.params as unknown as Params,
    path,
    queryText: mark === -1 ? "" : url.slice(mark + 1),
    clientAddress: () => request.ip ?? "",
    arrivedMs: performance.now(),
  };
}
