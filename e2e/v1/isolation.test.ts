// Access control: two merchants, every route, every kind of credential, checked against rules. Then one merchant names
// every id of the other in paths, bodies, filters and calls between services.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ROUTES, type Route } from "@pay/gateway";
import { type Received, startReceiver } from "@pay/testing";
import type { Answer } from "./ask.ts";
import {
  type Credential,
  expectRefused,
  makeSpecial,
  type Special,
  toCredentials,
} from "./credentials.ts";
import { describeCalls } from "./isolation-calls.ts";
import { describeNeeds } from "./isolation-needs.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import {
  describeWithProduct,
  keyHeader,
  orderOn,
  PAYER,
  type Product,
  startProduct,
} from "./product.ts";
import { REQUESTS, type Sample } from "./requests.ts";
import { openTenant, type Side, type Tenant } from "./tenants.ts";

const UNKNOWN = "0".repeat(24);
function getName({ method, path }: Route) {
  return `${method} ${path}`;
}

const ROUTE_NAMES = ROUTES.map((route) => ({ name: getName(route), route }));

test("every route has a row", () => {
  expect(Object.keys(REQUESTS).sort()).toEqual(ROUTE_NAMES.map(({ name }) => name).sort());
});

describeWithProduct("isolation", () => {
  let issuer: Issuer;
  let product: Product;
  let mine: Tenant;
  let theirs: Tenant;
  let special: Special;

  beforeAll(async () => {
    issuer = await startIssuer();
    product = await startProduct();
    [mine, theirs] = await Promise.all([
      openTenant(product, issuer, { name: "Mine", hundredths: 30n }),
      openTenant(product, issuer, { name: "Theirs", hundredths: 40n }),
    ]);
    special = await makeSpecial(mine);
  });
  afterAll(async () => {
    await product?.stop();
    await issuer?.stop();
  });

  function send({ method }: Route, { path, body }: Sample, { headers, query }: Credential) {
    const mark = path.includes("?") ? "&" : "?";
    return product.ask(method, query ? `${path}${mark}${query}` : path, { headers, body });
  }

  describe.each(ROUTE_NAMES)("$name", ({ name, route }) => {
    test("accepts the credentials that its row allows, and no others", async () => {
      const row = REQUESTS[name];
      if (row === undefined) throw new Error("no row");
      const credentials = toCredentials(route, mine, theirs, special);
      const refused = await row.sample(mine.live);
      const answers = await Promise.all(
        Object.entries(credentials).map(async ([kind, credential]) => {
          const verdict = credential.verdict(route);
          const sample = verdict === "passes" ? await row.sample(credential.side) : refused;
          const answer = await send(route, sample, credential);
          if (verdict !== "passes") expectRefused(answer);
          const passes = (kind === "session" ? undefined : row.keyAlone) ?? row.answers;
          const expected = verdict === "passes" ? (passes ?? route.success) : verdict;
          return { kind, expected, status: answer.status };
        }),
      );
      expect(answers.map(({ kind, status }) => `${kind}: ${status}`)).toEqual(
        answers.map(({ kind, expected }) => `${kind}: ${expected}`),
      );
    });
  });

  describe.each(ROUTE_NAMES.filter(({ route }) => route.id !== undefined))(
    "$name",
    ({ name, route }) => {
      const { prefix } = route.id as { prefix: keyof Side["ids"] };
      function strangers(hasOther: boolean) {
        const kinds: Record<string, Credential["headers"]> =
          route.auth === "secret"
            ? {
                secret: keyHeader(theirs.live.secret),
                // Refused before anything is looked up.
                ...(hasOther && { "the other mode": keyHeader(mine.test.secret) }),
              }
            : {
                publishable: keyHeader(theirs.live.publishable),
                "the other mode": keyHeader(mine.test.publishable),
              };
        if (route.session !== undefined) {
          const { publishable, session } = theirs.live;
          kinds.session = { ...keyHeader(publishable), authorization: `Bearer ${session}` };
        }
        return Object.entries(kinds);
      }

      test("answers a stranger's id exactly like one that does not exist", async () => {
        const row = REQUESTS[name];
        if (row === undefined) throw new Error("no row");
        const { path, body } = await row.sample(theirs.live);
        const own = new RegExp(`${prefix}_\\w{24}`);
        const hasOther = !row.isOfBothModes;
        for (const [kind, headers] of strangers(hasOther)) {
          function ask(id: string) {
            return product.ask(route.method, path.replace(own, id), { headers, body });
          }

          const unknown = await ask(`${prefix}_${UNKNOWN}`);
          const strange = await ask(mine.live.ids[prefix]);
          const status = row.unopened ?? (kind === "session" ? undefined : row.keyAlone) ?? 404;
          expect([kind, strange.status, strange.text]).toEqual([kind, status, unknown.text]);
          expect(Object.keys(strange.headers)).toEqual(Object.keys(unknown.headers));
        }
      });
    },
  );

  test("requests of strangers have changed no record", async () => {
    const { as, ids } = mine.live;
    expect((await as("GET", `/v1/payments/${ids.pay}`)).body.status).toBe("confirmed");
    expect((await as("GET", `/v1/customers/${ids.cust}?expand=email`)).body).toMatchObject({
      email: "zoe@shop.example",
      displayName: "Zoë",
    });
    expect((await as("GET", `/v1/refunds/${ids.refund}`)).body.status).toBe("created");
    expect((await as("GET", `/v1/settlements/${ids.stl}`)).body.status).toBe("requested");
    const { body: addresses } = await as("GET", "/v1/settlement-destinations?limit=100");
    expect(addresses.data.map(({ id }: { id: string }) => id)).toContain(ids.dst);
    const { body: keys } = await as("GET", "/v1/projects/me/keys?limit=100");
    const key = keys.data.find(({ id }: { id: string }) => id === ids.key);
    expect(key).toMatchObject({ expiresAt: null, revokedAt: null });
  });

  /** Wherever else a request may name a record: the field, and the request of a stranger with it. */
  const REFERENCES: Record<string, (side: Side, id: string) => Promise<Answer>> = {
    "POST /v1/payments customerId": ({ as, chainId }, id) =>
      as("POST", "/v1/payments", { ...orderOn(chainId), customerId: id }),
    "GET /v1/payments customerId": ({ as }, id) => as("GET", `/v1/payments?customerId=${id}`),
    "GET /v1/payments after": ({ as }, id) => as("GET", `/v1/payments?after=${id}`),
    "GET /v1/customers after": ({ as }, id) => as("GET", `/v1/customers?after=${id}`),
    "POST /v1/refunds paymentId": ({ as }, id) => as("POST", "/v1/refunds", { paymentId: id }),
    "GET /v1/refunds paymentId": ({ as }, id) => as("GET", `/v1/refunds?paymentId=${id}`),
    "GET /v1/refunds after": ({ as }, id) => as("GET", `/v1/refunds?after=${id}`),
    "GET /v1/settlements after": ({ as }, id) => as("GET", `/v1/settlements?after=${id}`),
    "GET /v1/settlement-destinations after": ({ as }, id) =>
      as("GET", `/v1/settlement-destinations?after=${id}`),
    "GET /v1/projects/me/keys after": ({ as }, id) => as("GET", `/v1/projects/me/keys?after=${id}`),
    "GET /v1/webhook-endpoints after": ({ as }, id) =>
      as("GET", `/v1/webhook-endpoints?after=${id}`),
    "GET /v1/webhook-endpoints/{id}/deliveries after": ({ as, ids }, id) =>
      as("GET", `/v1/webhook-endpoints/${ids.we}/deliveries?after=${id}`),
    "GET /v1/webhook-endpoints/{id}/deliveries eventId": ({ as, ids }, id) =>
      as("GET", `/v1/webhook-endpoints/${ids.we}/deliveries?eventId=${id}`),
    "GET /v1/webhook-endpoints/{id}/deliveries resourceId": ({ as, ids }, id) =>
      as("GET", `/v1/webhook-endpoints/${ids.we}/deliveries?resourceId=${id}`),
    "GET /v1/audit after": ({ as }, id) => as("GET", `/v1/audit?after=${id}`),
    "GET /v1/audit targetId": ({ as }, id) => as("GET", `/v1/audit?targetId=${id}`),
    "GET /v1/request-logs after": ({ as }, id) => as("GET", `/v1/request-logs?after=${id}`),
    "GET /v1/request-logs requestId": ({ as }, id) => as("GET", `/v1/request-logs?requestId=${id}`),
    "GET /v1/deliveries after": ({ as }, id) => as("GET", `/v1/deliveries?after=${id}`),
    "GET /v1/deliveries endpointId": ({ as }, id) => as("GET", `/v1/deliveries?endpointId=${id}`),
    "GET /v1/deliveries eventId": ({ as }, id) => as("GET", `/v1/deliveries?eventId=${id}`),
    "GET /v1/deliveries resourceId": ({ as }, id) => as("GET", `/v1/deliveries?resourceId=${id}`),
    "GET /v1/balances after": ({ as }, id) => as("GET", `/v1/balances?after=${id}`),
    "GET /v1/books/{month} after": ({ as }, id) => as("GET", `/v1/books/2026-01?after=${id}`),
    "GET /v1/needs after": ({ as }, id) => as("GET", `/v1/needs?after=${id}`),
    "GET /v1/search q": ({ as }, id) => as("GET", `/v1/search?q=${id}`),
    "GET /v1/transfers after": ({ as }, id) => as("GET", `/v1/transfers?after=${id}`),
    "POST /v1/transfers/{id}/assign paymentId": ({ as, ids }, id) =>
      as("POST", `/v1/transfers/${ids.tr}/assign`, { paymentId: id }),
    "POST /v1/transfers/{id}/assign refundId": ({ as, ids }, id) =>
      as("POST", `/v1/transfers/${ids.tr}/assign`, { refundId: id }),
    "GET /v1/events after": ({ as }, id) => as("GET", `/v1/events?after=${id}`),
    "GET /v1/events resourceId": ({ as }, id) => as("GET", `/v1/events?resourceId=${id}`),
    "GET /v1/events/stream after": ({ as }, id) => as("GET", `/v1/events/stream?after=${id}`),
  };
  const PREFIXES: Record<string, keyof Side["ids"]> = {
    customerId: "cust",
    paymentId: "pay",
    refundId: "refund",
    "GET /v1/deliveries after": "del",
    "GET /v1/deliveries endpointId": "we",
    eventId: "evt",
    resourceId: "pay",
    "GET /v1/audit after": "aud",
    // The log has the attempts at foreign records, where keys leave entries for them.
    "GET /v1/audit targetId": "cust",
    "GET /v1/request-logs after": "log",
    "GET /v1/request-logs requestId": "log",
    "GET /v1/balances after": "stl",
    // No book is known by its id here: none of another kind is taken.
    "GET /v1/books/{month} after": "tr",
    "GET /v1/needs after": "refund",
    "GET /v1/search q": "pay",
    "GET /v1/transfers after": "tr",
    "GET /v1/payments after": "pay",
    "GET /v1/customers after": "cust",
    "GET /v1/refunds after": "refund",
    "GET /v1/settlements after": "stl",
    "GET /v1/settlement-destinations after": "dst",
    "GET /v1/projects/me/keys after": "key",
    "GET /v1/webhook-endpoints after": "we",
    "GET /v1/webhook-endpoints/{id}/deliveries after": "del",
    "GET /v1/events after": "evt",
    "GET /v1/events/stream after": "evt",
  };

  /** Fields that end in Id and name no record: the chain's number, and the merchant's own text. */
  const NOT_RECORDS = new Set(["chainId", "orderId"]);

  test("every field that may name a record has a row", () => {
    const fields = ROUTE_NAMES.flatMap(({ name, route }) =>
      Object.keys({ ...route.query?.shape, ...route.body?.shape })
        .filter((field) => /Id$|^(after|q)$/.test(field) && !NOT_RECORDS.has(field))
        .map((field) => `${name} ${field}`),
    );
    expect(Object.keys(REFERENCES).sort()).toEqual(fields.sort());
  });

  test.each(Object.keys(REFERENCES))(
    "%s shows nothing of another merchant's record",
    async (row) => {
      const prefix = PREFIXES[row] ?? PREFIXES[row.split(" ")[2] ?? ""];
      if (prefix === undefined) throw new Error(`${row} names nothing`);
      const ask = REFERENCES[row];
      const strange = await ask?.(theirs.live, mine.live.ids[prefix]);
      const unknown = await ask?.(theirs.live, `${prefix}_${UNKNOWN}`);
      expect([strange?.status, strange?.text]).toEqual([unknown?.status, unknown?.text]);
      expect(strange?.text).not.toContain(mine.live.ids[prefix]);
    },
  );

  const LISTS = ROUTE_NAMES.filter(({ route }) =>
    /^GET \/v1\/(payments|customers|refunds|settlements|settlement-destinations|transfers|webhook-endpoints|audit|deliveries)$/.test(
      getName(route),
    ),
  );

  test.each([...LISTS, { name: "GET /v1/projects/me/keys" }])(
    "$name lists and counts one's own alone, in one's own mode",
    async ({ name }) => {
      const path = name.slice(4);
      const seen = new Set<string>();
      for (const side of [mine.live, mine.test, theirs.live, theirs.test]) {
        const isKeys = path.endsWith("/keys");
        // A live key manages the keys of both modes.
        if (isKeys && side.mode === "test") continue;
        const ids: string[] = [];
        let total = 0;
        for (let page = 1; page === 1 || ids.length < total; page++) {
          const { body } = await side.as("GET", `${path}?limit=100&page=${page}`);
          total = body.total;
          ids.push(...body.data.map(({ id }: { id: string }) => id));
          expect(body.data.length).toBeGreaterThan(0);
        }
        expect(ids).toHaveLength(total);
        for (const id of ids) {
          expect(seen.has(id)).toBe(false);
          seen.add(id);
        }
      }
    },
  );

  test("a shopper sees only their own payments, and none of other shoppers of the same shop", async () => {
    const { as, publishable, session, ids, chainId } = mine.live;
    const elsewhere = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
    const other = (await as("POST", "/v1/customers", { walletAddress: elsewhere })).body.id;
    const payment = (await as("POST", "/v1/payments", { ...orderOn(chainId), customerId: other }))
      .body.id;
    const headers = { ...keyHeader(publishable), authorization: `Bearer ${session}` };
    function shopper(path: string) {
      return product.ask("GET", path, { headers });
    }

    for (const path of [`/v1/customers/${other}`, `/v1/payments/${payment}`]) {
      const unknown = await shopper(path.replace(/\w{24}$/, UNKNOWN));
      const strange = await shopper(path);
      expect([strange.status, strange.text]).toEqual([404, unknown.text]);
    }
    const own = await shopper(`/v1/payments/${ids.pay}?expand=timeline`);
    expect(own.body.timeline[0]).toMatchObject({ event: "created", madeBy: null });
    expect((await shopper(`/v1/payments/${ids.pay}?expand=requestedBy`)).status).toBe(403);
    const customers = await shopper("/v1/customers?limit=100");
    for (const { walletAddress } of customers.body.data) expect(walletAddress).toBe(PAYER);
    const payments = await shopper("/v1/payments?limit=100");
    const listed = payments.body.data.map(({ id }: { id: string }) => id);
    // And those that their wallet has paid.
    const paid = (await as("GET", `/v1/payments?limit=100&payerAddress=${PAYER}`)).body.data;
    const allowed = [ids.pay, ...paid.map(({ id }: { id: string }) => id)];
    expect(allowed).toEqual(expect.arrayContaining(listed));
    expect(listed).toContain(ids.pay);
    expect(payments.body.total).toBe(listed.length);
    const refunds = await shopper(`/v1/refunds?paymentId=${payment}`);
    expect(refunds.body).toMatchObject({ data: [], total: 0 });
  });

  test("two merchants may use the same order id, and each finds its own payment by it", async () => {
    for (const { as, chainId } of [mine.live, theirs.live, theirs.live]) {
      await as("POST", "/v1/payments", { ...orderOn(chainId), orderId: "the-same" });
    }
    const found = await mine.live.as("GET", "/v1/payments?orderId=the-same");
    expect(found.body).toMatchObject({ total: 1, data: [expect.anything()] });
  });

  test("two merchants may use the same idempotency key independently", async () => {
    const headers = { "idempotency-key": "the-same" };
    const ids = new Set<string>();
    for (const side of [mine.live, mine.test, theirs.live, theirs.test]) {
      const { status, body } = await side.as(
        "POST",
        "/v1/payments",
        orderOn(side.chainId),
        headers,
      );
      expect(status).toBe(201);
      ids.add(body.id);
    }
    expect(ids.size).toBe(4);
  });

  /** What the events are about that a side can list. */
  async function listedTo({ as }: Side): Promise<Set<string>> {
    const ids = new Set<string>();
    for (let after = ""; ; ) {
      const { status, body } = await as("GET", `/v1/events?limit=100${after && `&after=${after}`}`);
      expect(status).toBe(200);
      for (const { resourceId } of body.data) ids.add(resourceId);
      if (!body.hasMore) return ids;
      after = body.data.at(-1).id;
    }
  }

  test("each of two merchants receives only its own events, in each mode at the mode's own address", async () => {
    const sides = [mine.live, mine.test, theirs.live, theirs.test];
    const receivers = await Promise.all(sides.map(() => startReceiver({ plain: true })));
    function idIn({ body }: Received) {
      return JSON.parse(body.toString()).id as string;
    }

    for (const [at, { as }] of sides.entries()) {
      const callbackUrl = `${receivers[at]?.url}/`;
      expect((await as("PUT", "/v1/projects/me", { callbackUrl })).status).toBe(200);
    }
    for (const [at, { as }] of sides.entries()) {
      const { body } = await as("GET", "/v1/projects/me");
      expect(body.callbackUrl).toBe(`${receivers[at]?.url}/`);
    }
    const made = await Promise.all(
      sides.map(async ({ as, chainId }) => {
        const orders = Array.from({ length: 5 }, () =>
          as("POST", "/v1/payments", orderOn(chainId)),
        );
        return (await Promise.all(orders)).map(({ body }) => body.id as string);
      }),
    );
    for (const [at, ids] of made.entries()) {
      for (const id of ids) await receivers[at]?.next((one) => idIn(one) === id);
    }
    for (const [at, receiver] of receivers.entries()) {
      // What the tests before have changed may be delivered only now; it is listed to its own merchant in its own mode.
      const own = await listedTo(sides[at] as Side);
      const foreign = made.flatMap((ids, of) => (of === at ? [] : ids));
      const received = receiver.all.map(idIn);
      expect(received.filter((id) => !own.has(id) || foreign.includes(id))).toEqual([]);
      const modes = new Set(receiver.all.map(({ headers }) => headers["x-service-mode"]));
      expect([...modes]).toEqual([sides[at]?.mode]);
      await receiver.stop();
    }
    for (const { as } of sides) await as("PUT", "/v1/projects/me", { callbackUrl: null });
  });

  test("a body cannot name another project or mode", async () => {
    const named = { id: theirs.live.projectId, projectId: theirs.live.projectId, mode: "test" };
    const { body } = await mine.live.as("PUT", "/v1/projects/me", { ...named, name: "Mine" });
    expect(body.id).toBe(mine.live.projectId);
    expect((await theirs.live.as("GET", "/v1/projects/me")).body.name).toBe("Theirs");
    const made = await mine.live.as("POST", "/v1/customers", { walletAddress: PAYER, ...named });
    expect((await mine.live.as("GET", `/v1/customers/${made.body.id}`)).status).toBe(200);
  });

  describeNeeds(() => ({ mine, theirs }));
  describeCalls(() => ({ product, mine: mine.live, theirs: theirs.live }));
});
