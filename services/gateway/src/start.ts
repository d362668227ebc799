import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openServiceDatabase } from "@pay/database";
import { createEgress, createPolicy, type PolicyOptions } from "@pay/egress";
import { type Bus, startRelay, TOPICS } from "@pay/events";
import { hostToBind, localAddress, type Runtime } from "@pay/process";
import type { Express } from "express";
import type { Pool } from "pg";
import { ROUTES } from "./api/table.ts";
import { BOUNDS, type Bounds, type GatewayConfig } from "./config.ts";
import { PrismaClient } from "./generated/prisma/client.ts";
import { touchMemberSession } from "./generated/sql.ts";
import { boundConnections, type Connections } from "./http/connections.ts";
import { IGNORE_UPGRADES, keepDetachedConnections } from "./http/detach-connection.ts";
import { rejectBrokenHttp } from "./http/error-handler.ts";
import { createSealedResponses } from "./idempotency/sealed-responses.ts";
import { type Authenticator, createAuthenticator } from "./keys/authenticate.ts";
import { findKeys } from "./keys/find-keys.ts";
import { createKeyUses, startKeyUses } from "./keys/key-uses.ts";
import { startPepperWatch } from "./keys/pepper-watch.ts";
import { startMails } from "./mail/queue.ts";
import { createDashboardSite, type DashboardSite } from "./members/cookie.ts";
import { createMemberMails, type MemberMails } from "./members/mails.ts";
import { createOidcProvider, type OidcProvider } from "./members/oidc-provider.ts";
import { startSignInPurge } from "./members/purge.ts";
import { createSignIns, type SignInParts, type SignIns } from "./members/sign-ins.ts";
import { findMemberSessions, findMembership } from "./members/storage.ts";
import { startNotices } from "./notices/notices.ts";
import { mountCheckout } from "./pages/checkout.ts";
import { mountDashboard } from "./pages/dashboard.ts";
import { mountDocs } from "./pages/docs/docs.ts";
import { mountHome } from "./pages/home.ts";
import { mountLogos } from "./pages/logos.ts";
import { keepHostsApart } from "./pages/own-host.ts";
import { mountReports } from "./pages/reports.ts";
import { mountSecurityText } from "./pages/security-text.ts";
import { mountSignIn } from "./pages/sign-in.ts";
import { readShell } from "./pages/site.ts";
import { createApp } from "./pipeline/app.ts";
import type { Deps } from "./pipeline/deps.ts";
import { createLimits } from "./pipeline/limits/limits.ts";
import { createMemoryBuckets } from "./pipeline/limits/memory.ts";
import { createShops } from "./projects/shop-profile.ts";
import { startRequestLog } from "./request-logs/queue.ts";
import { connectServices } from "./services/services.ts";
import { createShoppers } from "./sessions/customer-sessions.ts";
import { createIssuerKeys } from "./sessions/issuer-keys.ts";
import { startSessionPurge } from "./sessions/purge.ts";
import { findSessions } from "./sessions/storage.ts";
import { createTokenVerifier } from "./sessions/verify-token.ts";
import { createEventStreams } from "./streams/event-streams.ts";
import { createStreams, type Streams } from "./streams/streams.ts";

const HEADER_BYTES_MAX = 16 * 1024;
const REQUESTS_PER_CONNECTION_MAX = 10_000;
const LATE_REQUESTS_CHECK_MS = 1_000;
const STOP_GRACE_MS = 12_000;
const IDLE_SWEEP_MS = 100;
const HOUR_MS = 3_600_000;

export interface Gateway {
  /** Of the REST interface, host and port. */
  address: string;
}

export async function startGateway(
  config: GatewayConfig,
  runtime: Runtime,
  { bus, bounds: shorter }: { bus: Bus; bounds?: Partial<Bounds> },
): Promise<Gateway> {
  const bounds = { ...BOUNDS, ...shorter };
  const db = await openServiceDatabase({
    service: "gateway",
    config,
    home: new URL("..", import.meta.url),
    runtime,
    // All gateways share it: if none were ready, callers would get the balancer's answer instead of 503 with
    // Retry-After.
    decidesReadiness: false,
  });
  const { log, clock } = runtime;
  const peppers = config.GATEWAY_KEY_PEPPER;
  const uses = createKeyUses();
  const publicUrl = config.PUBLIC_URL ?? "/";
  const callable = callableBy(config);
  const egress = createEgress({ ...callable, proxy: config.WEBHOOKS_PROXY_URL });
  runtime.onStop("requests to addresses of merchants", egress.close);
  const prisma = new PrismaClient({ adapter: db.adapter });
  const streams = createStreams({ bounds: bounds.paymentStreams, runtime });
  const services = connectServices(config, runtime);
  const eventStreams = createEventStreams({
    runtime,
    feedPositions: services.feedPositions,
    streamsMax: bounds.eventStreamsMax,
  });
  const dashboard = createDashboardSite(config);
  const { keyCacheMs: cacheMs, keyCacheMax: cacheMax } = bounds;
  const authenticator = createAuthenticator({
    findKeys: (wanted) => findKeys(db.pool, wanted),
    uses,
    peppers,
    clock,
    cacheMs,
    cacheMax,
  });
  const ofMembers = { ...readMembers(db.pool), requiresPasskey: dashboard.isSecure };
  const signIns = createSignIns({ ...ofMembers, peppers, clock, cacheMs, cacheMax });
  const memberMails = await openMails(config, { pool: db.pool, dashboard, bounds, runtime });
  const own = { pool: db.pool, prisma, egress, dashboard };
  const deps: Deps = {
    ...services,
    ...own,
    findShop: createShops({ prisma, pool: db.pool, publicUrl }),
    peppers,
    sealedResponses: createSealedResponses(peppers),
    authenticator: forgettingBoth(authenticator, signIns),
    signIns,
    memberMails,
    notices: startNotices({ ...services, ...own, memberMails, runtime }),
    shoppers: createShoppers({
      findSessions: (wanted) => findSessions(db.pool, wanted),
      peppers,
      clock,
    }),
    verifyToken: createTokenVerifier({ keys: createIssuerKeys({ egress, clock, log }), clock }),
    callbackPolicy: createPolicy(callable),
    walletDelayMs: config.SETTLEMENT_DESTINATION_DELAY_HOURS * HOUR_MS,
    variantBSunset: config.VARIANT_B_SUNSET,
    publicUrl,
    streams,
    eventStreams,
    requestLog: startRequestLog(db.pool, runtime),
    relay: startRelay({ db, bus, runtime }),
    clock,
    log,
    stopping: runtime.stopping,
  };
  await followPayments(bus, streams);
  startSessionPurge(db.pool, runtime);
  startSignInPurge(db.pool, runtime);
  startKeyUses(uses, { pool: db.pool, runtime, intervalMs: bounds.keyUseIntervalMs });
  startPepperWatch(prisma, { peppers, runtime });
  const limits = createLimits(
    config.RATE_LIMITS,
    clock,
    await sharedBuckets(config, runtime, bounds.redisTimeoutMs),
  );
  const oidc = config.OIDC && createOidcProvider(config.OIDC, { egress, clock });
  const mountAll = (app: Express) => mountPages(app, { ...deps, oidc }, config);
  const app = createApp(config, deps, { routes: ROUTES, limits, mountPages: mountAll });
  return listen(app, { config, bounds, runtime });
}

function followPayments(bus: Bus, { take }: Pick<Streams, "take">): Promise<void> {
  const topics = [TOPICS.payments];
  return bus.subscribe({ group: "gateway-streams", topics, isBroadcast: true, handle: take });
}

/** Keys and memberships are cached with the settings of their project. */
function forgettingBoth(authenticator: Authenticator, signIns: SignIns): Authenticator {
  return {
    ...authenticator,
    forget: (projectId) => {
      authenticator.forget(projectId);
      signIns.forgetProject(projectId);
    },
  };
}

function readMembers(pool: Pool): Pick<SignInParts, "findSessions" | "findMembership" | "touch"> {
  return {
    findSessions: (wanted) => findMemberSessions(pool, wanted),
    findMembership: (of) => findMembership(pool, of),
    touch: (digest, now) => touchMemberSession(pool, { digest, now }),
  };
}

function mountPages(
  app: Express,
  deps: Deps & { oidc: OidcProvider | undefined },
  { SECURITY_CONTACT: contact }: GatewayConfig,
): void {
  const shell = readShell();
  const { isOn, ownHost, origin } = deps.dashboard;
  if (isOn && ownHost !== undefined) keepHostsApart(app, ownHost);
  const dashboardUrl = isOn ? `${ownHost === undefined ? "" : origin}/dashboard` : undefined;
  mountHome(app, shell, { ...deps, dashboardUrl });
  mountLogos(app, deps.prisma);
  mountCheckout(app, { hasPreview: deps.dashboard.isOn });
  mountReports(app);
  mountDocs(app, shell, deps);
  if (contact !== undefined) mountSecurityText(app, { ...deps, contact });
  if (isOn) {
    // First, because the dashboard has a page for every other address below its own.
    mountSignIn(app, deps);
    mountDashboard(app);
  }
}

/** The client of Redis is large, so it is loaded only where there is a Redis. */
async function sharedBuckets(
  { REDIS_URL: url }: GatewayConfig,
  runtime: Runtime,
  timeoutMs: number,
) {
  if (url === undefined) return undefined;
  const { openRedisBuckets } = await import("./pipeline/limits/redis.ts");
  return openRedisBuckets({ url, timeoutMs, runtime });
}

/** Loaded only where there is a mail server. Without an address of the dashboard a mail could link to nothing. */
async function openMails(
  { SMTP_URL: settings }: GatewayConfig,
  parts: { pool: Pool; dashboard: DashboardSite; bounds: Bounds; runtime: Runtime },
): Promise<MemberMails | undefined> {
  const { pool, bounds, runtime } = parts;
  const { origin } = parts.dashboard;
  if (settings === undefined || origin === undefined) return undefined;
  const { createMailer } = await import("./mail/mailer.ts");
  const { log, clock } = runtime;
  const mailer = createMailer(settings, { log, timeoutMs: bounds.mailTimeoutMs });
  const mails = startMails(pool, mailer, runtime);
  return createMemberMails({ pool, mails, buckets: createMemoryBuckets(clock), origin, clock });
}

/** Addresses that merchants may set and the product calls: of webhooks and of issuers of shoppers' tokens. */
function callableBy(config: GatewayConfig): PolicyOptions {
  return {
    allowHosts: config.WEBHOOKS_ALLOW_HOSTS,
    allowHttp: config.WEBHOOKS_ALLOW_HTTP,
    ownHosts: config.PUBLIC_URL === undefined ? [] : [new URL(config.PUBLIC_URL).hostname],
  };
}

async function listen(
  app: Express,
  { config, bounds, runtime }: { config: GatewayConfig; bounds: Bounds; runtime: Runtime },
): Promise<Gateway> {
  const server = createServer(
    {
      headersTimeout: bounds.headersTimeoutMs,
      requestTimeout: bounds.requestTimeoutMs,
      keepAliveTimeout: bounds.keepAliveMs,
      connectionsCheckingInterval: LATE_REQUESTS_CHECK_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      // Checked in the app, whose refusal has a body.
      requireHostHeader: false,
      noDelay: true,
      ...IGNORE_UPGRADES,
    },
    (request, response) => {
      if (connections.isOld(request.socket)) response.shouldKeepAlive = false;
      app(request, response);
    },
  );
  const connections = boundConnections(server, {
    responseTimeoutMs: bounds.responseTimeoutMs,
    ageMaxMs: bounds.connectionAgeMaxMs,
  });
  server.maxConnections = bounds.connectionsMax;
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION_MAX;
  server.on("clientError", rejectBrokenHttp);
  keepDetachedConnections(server);
  // Clients that expect something else than 100-continue simply get their answer.
  server.on("checkExpectation", app);
  await bind(server, config);
  runtime.onStop("http server", () => shutDown(server, connections));
  const { address, port } = server.address() as AddressInfo;
  return { address: localAddress(address, port) };
}

function bind(server: Server, { PORT, GATEWAY_HOST }: GatewayConfig): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new Error(`port ${PORT} is taken by another program; set PORT to a free one`)
          : error,
      ),
    );
    server.listen(PORT, hostToBind(GATEWAY_HOST), resolve);
  });
}

/** Requests under way are answered; what is left at the end of the grace is cut off. */
function shutDown(server: Server, connections: Connections): Promise<void> {
  return new Promise((resolve) => {
    const grace = setTimeout(connections.closeAll, STOP_GRACE_MS);
    // A connection whose answer was just sent counts as idle only a moment later.
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      connections.closeUnused();
    }, IDLE_SWEEP_MS);
    server.close(() => {
      clearTimeout(grace);
      clearInterval(sweep);
      resolve();
    });
  });
}
