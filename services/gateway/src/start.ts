import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { awaitSchema, openDatabase, startIdempotencyPurge } from "@pay/database";
import { createEgress, createPolicy, type PolicyOptions } from "@pay/egress";
import { type Bus, startRelay } from "@pay/events";
import type { Runtime } from "@pay/process";
import type { Express } from "express";
import { createApp } from "./app.ts";
import { createAuthenticator } from "./auth.ts";
import { connectBackends } from "./backends.ts";
import type { GatewayConfig } from "./config.ts";
import type { Deps } from "./deps.ts";
import { answerBrokenHttp } from "./errors.ts";
import { PrismaClient } from "./generated/prisma/client.ts";
import { createLimits } from "./limits/limits.ts";
import { findKeys } from "./projects/storage.ts";
import { createVault } from "./projects/vault.ts";
import { ROUTES } from "./routes/table.ts";
import { createIssuerKeys } from "./sso/issuer-keys.ts";
import { startSessionPurge } from "./sso/purge.ts";
import { findSessions } from "./sso/session-storage.ts";
import { createShoppers } from "./sso/shoppers.ts";
import { createTokenVerifier } from "./sso/verify-token.ts";

const HEADER_BYTES_MAX = 16 * 1024;
const REQUESTS_PER_CONNECTION_MAX = 10_000;
const LATE_REQUESTS_CHECK_MS = 1_000;
const STOP_GRACE_MS = 12_000;
const IDLE_SWEEP_MS = 100;

export interface Gateway {
  /** Of the REST interface, host and port. */
  address: string;
}

export const startGateway = async (
  config: GatewayConfig,
  runtime: Runtime,
  { bus }: { bus: Bus },
): Promise<Gateway> => {
  const db = openDatabase({
    url: config.GATEWAY_DATABASE_URL,
    poolMax: config.GATEWAY_DATABASE_POOL_MAX,
    applicationName: "gateway",
    runtime,
  });
  const home = new URL("..", import.meta.url);
  await awaitSchema({ db, runtime, home, variable: "GATEWAY_DATABASE_URL" });
  const { log, clock } = runtime;
  const pepper = config.GATEWAY_KEY_PEPPER;
  const callable = callableBy(config);
  const egress = createEgress(callable);
  runtime.onStop("requests to issuers", egress.close);
  const deps: Deps = {
    ...connectBackends(config, runtime),
    pool: db.pool,
    prisma: new PrismaClient({ adapter: db.adapter }),
    pepper,
    vault: createVault(pepper),
    authenticator: createAuthenticator({
      findKeys: (digests) => findKeys(db.pool, digests),
      pepper,
      clock,
      cacheMs: config.GATEWAY_KEY_CACHE_MS,
      cacheMax: config.GATEWAY_KEY_CACHE_MAX,
    }),
    shoppers: createShoppers({
      findSessions: (digests) => findSessions(db.pool, digests),
      pepper,
      clock,
    }),
    verifyToken: createTokenVerifier({ keys: createIssuerKeys({ egress, clock, log }), clock }),
    callbackPolicy: createPolicy(callable),
    publicUrl: config.PUBLIC_URL ?? "/",
    relay: startRelay({ db, bus, runtime }),
    clock,
    log,
    stopping: runtime.stopping,
  };
  startIdempotencyPurge(db, runtime);
  startSessionPurge(db.pool, runtime);
  const limits = createLimits(config, clock, await sharedBuckets(config, runtime));
  const app = createApp(config, deps, { routes: ROUTES, limits });
  return listen(app, config, runtime);
};

/** The client of Redis is large, so it is loaded only where there is a Redis. */
const sharedBuckets = async (config: GatewayConfig, runtime: Runtime) => {
  const { REDIS_URL: url, REDIS_TIMEOUT_MS: timeoutMs } = config;
  if (url === undefined) return undefined;
  const { openRedisBuckets } = await import("./limits/redis.ts");
  return openRedisBuckets({ url, timeoutMs, runtime });
};

/** Addresses that merchants may name for us to call: of webhooks, and of who issues their shoppers' tokens. */
const callableBy = (config: GatewayConfig): PolicyOptions => ({
  allowHosts: config.WEBHOOKS_ALLOW_HOSTS,
  allowLoopback: config.WEBHOOKS_ALLOW_LOOPBACK,
  allowHttp: config.WEBHOOKS_ALLOW_HTTP,
  ownHosts: config.PUBLIC_URL === undefined ? [] : [new URL(config.PUBLIC_URL).hostname],
});

const listen = async (app: Express, config: GatewayConfig, runtime: Runtime): Promise<Gateway> => {
  const server = createServer(
    {
      headersTimeout: config.GATEWAY_HEADERS_TIMEOUT_MS,
      requestTimeout: config.GATEWAY_REQUEST_TIMEOUT_MS,
      keepAliveTimeout: config.GATEWAY_KEEP_ALIVE_MS,
      connectionsCheckingInterval: LATE_REQUESTS_CHECK_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      // Checked in the app, whose refusal has a body.
      requireHostHeader: false,
      noDelay: true,
    },
    app,
  );
  server.maxConnections = config.GATEWAY_CONNECTIONS_MAX;
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION_MAX;
  server.on("clientError", answerBrokenHttp);
  // Clients that expect something else than 100-continue simply get their answer.
  server.on("checkExpectation", app);
  await bind(server, config);
  runtime.onStop("http server", () => shutDown(server));
  const { address, port } = server.address() as AddressInfo;
  const host = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : address;
  return { address: `${host}:${port}` };
};

const bind = (server: Server, { PORT, GATEWAY_HOST }: GatewayConfig): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new Error(`port ${PORT} is taken by another program; set PORT to a free one`)
          : error,
      ),
    );
    server.listen(PORT, GATEWAY_HOST, resolve);
  });

/** Requests under way are answered; what is left at the end of the grace is cut off. */
const shutDown = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const grace = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
    // A connection whose answer is out just now counts as idle only a moment later.
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
    server.close(() => {
      clearTimeout(grace);
      clearInterval(sweep);
      resolve();
    });
  });
