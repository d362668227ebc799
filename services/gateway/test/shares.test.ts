// Every resource that one actor can use up, as docs/decisions lists them: one actor takes all it can get, and another
// is served as before.
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { limitRates } from "@pay/testing";
import { startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import {
  CHAIN_ID,
  describeWithProduct,
  RECIPIENT,
  startProduct,
  type TestProduct,
} from "./product.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PAGE = readFileSync(join(ROOT, "docs/decisions/0012-a-share-for-everyone.md"), "utf8");

interface Row {
  resource: string;
  test: string;
}

const ROWS: Row[] = PAGE.split("\n")
  .filter((line) => /^\| (gateway|payments|refunds|chains|webhooks|all) /.test(line))
  .map((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    return { resource: cells[2] ?? "", test: cells.at(-2) ?? "" };
  });

const STREAMS = { inProcess: 50, perProject: 4, perAddress: 3, perPayment: 2 };
const ORDER = { amount: "1.5", chainId: CHAIN_ID, currency: "native", recipientAddress: RECIPIENT };

interface Actor {
  project: TestProject;
  address: string;
}

interface Exhaustion {
  /** Statuses of what the first actor asks for: those within its share, then one more. */
  attack(actor: Actor): Promise<number[]>;
  expected: number[];
  /** Statuses of what another gets afterwards, also behind the same address where that is no reason to refuse it. */
  others(actor: Actor, other: Actor): Promise<number[]>;
  served: number[];
}

describeWithProduct("a share of", () => {
  let product: TestProduct;
  let limited: TestGateway;
  let unlimited: TestGateway;
  const left: (() => void)[] = [];
  let addresses = 0;

  beforeAll(async () => {
    product = await startProduct();
    // Time stands still, so that no bucket refills.
    const now = new Date();
    const env = { ...product.addresses, TRUST_PROXY: "1" };
    limited = await startTestGateway({
      clock: { now: () => now },
      env: {
        ...env,
        ...limitRates({
          live: { perSecond: 6, burst: 6 },
          routePerSecond: 4,
          addressPerSecond: 3,
          publicPerSecond: 5,
          wrongSecretsPerMinute: 2,
          ssoPerSecond: 2,
          wrongKeysPerMinute: 2,
        }),
      },
    });
    unlimited = await startTestGateway({ env, bounds: { paymentStreams: STREAMS } });
  });
  afterEach(() => {
    for (const leave of left.splice(0)) leave();
  });
  afterAll(async () => {
    await limited?.stop();
    await unlimited?.stop();
    await product?.stop();
  });

  async function newActor(gateway: TestGateway): Promise<Actor> {
    return { project: await gateway.addProject(), address: `203.0.113.${++addresses}` };
  }

  async function repeat(count: number, ask: (at: number) => Promise<number>): Promise<number[]> {
    const statuses: number[] = [];
    for (let at = 0; at < count; at++) statuses.push(await ask(at));
    return statuses;
  }

  async function read(path: string, address: string, headers: Record<string, string> = {}) {
    const from = { "x-forwarded-for": address };
    return (await limited.ask("GET", path, { headers: { ...headers, ...from } })).status;
  }

  function bySecret({ project, address }: Actor, path: string) {
    return read(path, address, { "x-secret-key": project.secret });
  }

  function byPublishable({ project }: Actor, address: string) {
    return read("/v1/chains", address, { "x-publishable-key": project.publishable });
  }

  function guessKey({ address }: Actor) {
    return read("/v1/payments", address, { "x-secret-key": "sk_live_wrong" });
  }

  async function newPayment(gateway: TestGateway, { project, address }: Actor) {
    const headers = { "x-secret-key": project.secret, "x-forwarded-for": address };
    const { body } = await gateway.ask("POST", "/v1/payments", { headers, body: ORDER });
    return body as { id: string; clientSecret: string };
  }

  function confirm(payment: { id: string }, clientSecret: string, actor: Actor, address: string) {
    const headers = {
      "x-publishable-key": actor.project.publishable,
      "x-forwarded-for": address,
    };
    const body = { clientSecret, txHash: `0x${"7".repeat(64)}` };
    return limited.ask("POST", `/v1/payments/${payment.id}/confirm`, { headers, body });
  }

  async function signIn({ project }: Actor) {
    const headers = { "x-secret-key": project.secret };
    const asked = { headers, body: { token: "none" } };
    return (await limited.ask("POST", "/v1/auth/sso", asked)).status;
  }

  async function openStream(path: string, headers: Record<string, string>): Promise<number> {
    const request = get(`http://${unlimited.address}${path}`, {
      agent: false,
      headers: { ...headers, accept: "text/event-stream" },
    });
    left.push(() => request.destroy());
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    request.on("error", () => {});
    answer.on("error", () => {}).resume();
    return answer.statusCode ?? 0;
  }

  function openStatus({ id, clientSecret }: { id: string; clientSecret: string }, address: string) {
    const headers = { "x-client-secret": clientSecret, "x-forwarded-for": address };
    return openStream(`/v1/payments/${id}/status`, headers);
  }

  async function openStatusOfNew(actor: Actor, address = `198.51.100.${++addresses}`) {
    return openStatus(await newPayment(unlimited, actor), address);
  }

  function openEvents({ project }: Actor) {
    return openStream("/v1/events/stream", { "x-secret-key": project.secret });
  }

  const page = `/pay/pay_${"A".repeat(24)}`;
  function logo(at: number) {
    return `/pay/logos/${`${at}`.repeat(64)}`;
  }

  const EXHAUSTIONS: Record<string, Exhaustion[]> = {
    requests: [
      {
        attack: (actor) =>
          repeat(7, (at) => bySecret(actor, at < 4 ? "/v1/projects/me" : "/v1/projects/me/keys")),
        expected: [...Array(6).fill(200), 429],
        others: async (_, other) => [await bySecret(other, "/v1/projects/me")],
        served: [200],
      },
    ],
    "requests to a route": [
      {
        attack: (actor) => repeat(5, () => bySecret(actor, "/v1/projects/me")),
        expected: [200, 200, 200, 200, 429],
        others: async (actor, other) => [
          await bySecret(actor, "/v1/projects/me/keys"),
          await bySecret(other, "/v1/projects/me"),
        ],
        served: [200, 200],
      },
    ],
    "requests with a publishable key": [
      {
        attack: (actor) => repeat(4, () => byPublishable(actor, actor.address)),
        expected: [200, 200, 200, 429],
        others: async (actor, other) => [
          await byPublishable(actor, other.address),
          await byPublishable(other, actor.address),
        ],
        served: [200, 200],
      },
      {
        attack: (actor) => repeat(6, (at) => byPublishable(actor, `198.51.100.${at}`)),
        expected: [...Array(5).fill(200), 429],
        others: async (actor, other) => [
          await bySecret(actor, "/v1/projects/me"),
          await byPublishable(other, "198.51.100.0"),
        ],
        served: [200, 200],
      },
    ],
    "pages and logos": [
      {
        attack: ({ address }) => repeat(4, (at) => read(at < 2 ? page : "/docs", address)),
        expected: [200, 200, 200, 429],
        others: async (actor, other) => [
          await read(page, other.address),
          await byPublishable(actor, actor.address),
        ],
        served: [200, 200],
      },
    ],
    "files of pages": [
      {
        attack: ({ address }) => repeat(25, () => read("/pay/files/none.js", address)),
        expected: [...Array(24).fill(404), 429],
        others: async (actor, other) => [
          await read(page, actor.address),
          await read("/pay/files/none.js", other.address),
        ],
        served: [200, 404],
      },
    ],
    "look-ups of absent logos": [
      {
        attack: ({ address }) => repeat(4, (at) => read(logo(at), address)),
        expected: [404, 404, 404, 429],
        others: async (_, other) => [await read(logo(9), other.address)],
        served: [404],
      },
    ],
    "wrong keys": [
      {
        attack: (actor) => repeat(3, () => guessKey(actor)),
        expected: [401, 401, 429],
        others: async (actor, other) => [
          await bySecret({ ...other, address: actor.address }, "/v1/projects/me"),
          await byPublishable(other, actor.address),
          await guessKey(other),
        ],
        served: [200, 200, 401],
      },
    ],
    "wrong client secrets": [
      {
        attack: async (actor) => {
          const payment = await newPayment(limited, actor);
          const wrong = `${payment.clientSecret.slice(0, -1)}_`;
          const answers = await repeat(3, async () => {
            return (await confirm(payment, wrong, actor, actor.address)).status;
          });
          const right = await confirm(payment, payment.clientSecret, actor, "198.51.100.250");
          return [...answers, right.status];
        },
        expected: [403, 403, 429, 200],
        others: async (_, other) => [await byPublishable(other, other.address)],
        served: [200],
      },
    ],
    "sign-ins": [
      {
        attack: (actor) => repeat(3, () => signIn(actor)),
        expected: [409, 409, 429],
        others: async (_, other) => [await signIn(other)],
        served: [409],
      },
    ],
    "streams of a payment": [
      {
        attack: async (actor) => {
          const payment = await newPayment(unlimited, actor);
          return repeat(3, (at) => openStatus(payment, `198.51.100.${100 + at}`));
        },
        expected: [200, 200, 429],
        others: async (actor) => [await openStatusOfNew(actor)],
        served: [200],
      },
      {
        attack: (actor) => repeat(4, () => openStatusOfNew(actor, actor.address)),
        expected: [200, 200, 200, 429],
        others: async (actor, other) => [await openStatusOfNew(actor, other.address)],
        served: [200],
      },
      {
        attack: (actor) => repeat(5, () => openStatusOfNew(actor)),
        expected: [200, 200, 200, 200, 429],
        others: async (_, other) => [await openStatusOfNew(other)],
        served: [200],
      },
    ],
    "streams of events": [
      {
        attack: (actor) => repeat(11, () => openEvents(actor)),
        expected: [...Array(10).fill(200), 429],
        others: async (_, other) => [await openEvents(other)],
        served: [200],
      },
    ],
  };

  test.each(ROWS)("$resource leaves the others their own", async ({ resource, test: held }) => {
    if (held !== "shares") {
      expect(existsSync(join(ROOT, held))).toBe(true);
      return;
    }
    const exhaustions = EXHAUSTIONS[resource] ?? [];
    expect(exhaustions).not.toEqual([]);
    const gateway = resource.startsWith("streams") ? unlimited : limited;
    for (const { attack, expected, others, served } of exhaustions) {
      const [actor, other] = [await newActor(gateway), await newActor(gateway)];
      expect(await attack(actor)).toEqual(expected);
      expect(await others(actor, other)).toEqual(served);
    }
  });

  test("every exhausted resource has a row", () => {
    const held = ROWS.filter(({ test }) => test === "shares").map(({ resource }) => resource);
    expect(held.sort()).toEqual(Object.keys(EXHAUSTIONS).sort());
  });
});
