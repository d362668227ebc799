// What belongs to payments and is kept by other services, shown with a whole list of them; and what creations take.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { refusal } from "./gateway.ts";
import { createMembers } from "./members.ts";
import {
  CHAIN_ID,
  describeWithProduct,
  RECIPIENT,
  startProduct,
  type TestProduct,
} from "./product.ts";

const ORDER = { amount: "1.5", chainId: CHAIN_ID, currency: "native", recipientAddress: RECIPIENT };

describeWithProduct("an expanded list", () => {
  let product: TestProduct;
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product?.stop());

  test("shows of each payment what belongs to it, and to no other", async () => {
    const { secret, id: projectId } = await product.gateway.addProject();
    function ask(method: string, path: string, body?: object, key = secret) {
      return product.gateway.ask(method, path, {
        headers: { "x-secret-key": key },
        ...(body && { body }),
      });
    }

    const { body: customer } = await ask("POST", "/v1/customers", { walletAddress: RECIPIENT });
    const { body: gone } = await ask("POST", "/v1/customers", { walletAddress: RECIPIENT });
    const made: string[] = [];
    const links = new Map<string, string>();
    for (const change of [{}, { customerId: gone.id }, { customerId: customer.id }, {}]) {
      const order = { ...ORDER, ...change };
      const { body } = await ask("POST", "/v1/payments?expand=checkoutUrl", order);
      made.unshift(body.id);
      links.set(body.id, body.checkoutUrl);
    }
    await ask("DELETE", `/v1/customers/${gone.id}`);
    const [last, named] = made;
    const short = await product.chain.payNative({
      from: product.chain.accounts[6] ?? "",
      to: RECIPIENT,
      value: 10n ** 17n,
    });
    const assigned = { txHash: short, attribute: true };
    await ask("POST", `/v1/payments/${last}/transaction`, assigned);
    const failed = await until(
      async () => {
        const { body } = await ask("GET", `/v1/payments/${last}?expand=failureCode`);
        return body.status === "failed" && body;
      },
      { what: "a failed payment" },
    );
    expect(failed.failureCode).toBe("underpaid");

    const { body: plain } = await ask("GET", "/v1/payments");
    const names = "customer,refunds,transfers,attribution,timeline,checkoutUrl";
    const { body: list } = await ask("GET", `/v1/payments?expand=${names}`);
    expect(list.data.map(({ id }: { id: string }) => id)).toEqual(made);
    for (const [at, item] of list.data.entries()) {
      const { customer: person, refunds, transfers, attribution, timeline, ...others } = item;
      const { checkoutUrl, ...rest } = others;
      expect(rest).toEqual(plain.data[at]);
      expect(person?.id ?? null).toBe(item.id === named ? customer.id : null);
      expect(refunds).toEqual([]);
      expect(transfers).toHaveLength(item.id === last ? 1 : 0);
      const rules = attribution.map(({ rule }: { rule: string }) => rule);
      expect(rules).toEqual(item.id === last ? ["merchant"] : []);
      expect(timeline).toHaveLength(item.id === last ? 3 : 1);
      expect(checkoutUrl).toBe(links.get(item.id));
      const alone = await ask("GET", `/v1/payments/${item.id}?expand=checkoutUrl`);
      expect(alone.body.checkoutUrl).toBe(checkoutUrl);
    }
    expect(list.data[0].transfers).toMatchObject([
      { txHash: short, amount: "0.1", logIndex: null, confirmedAt: expect.any(String) },
    ]);
    expect(list.data[0].timeline[2]).toMatchObject({ event: "failed", reason: "underpaid" });
    const { body: empty } = await ask("GET", `/v1/payments?status=refunded&expand=${names}`);
    expect(empty.data).toEqual([]);

    const walletAddress = product.chain.accounts[6] ?? "";
    const { body: payer } = await ask("POST", "/v1/customers", { walletAddress });
    const { body: known } = await ask("GET", "/v1/payments?expand=customer");
    const shown = known.data.map((item: { customer: { id: string } | null }) => item.customer?.id);
    // The last payment names no customer and no payer, but its proven part shows the wallet that paid.
    expect(shown).toEqual([payer.id, customer.id, undefined, undefined]);
    const txHash = `0x${"7".repeat(64)}`;
    const bound = { txHash, payerAddress: walletAddress };
    await ask("POST", `/v1/payments/${made[3]}/transaction`, bound);
    const { body: tied } = await ask("GET", `/v1/payments/${made[3]}?expand=customer`);
    expect(tied.customer.id).toBe(payer.id);

    const { text } = await product.gateway.addKey(projectId, {
      type: "secret",
      scopes: ["payments:read"],
    });
    function read(expand: string) {
      return ask("GET", `/v1/payments?status=refunded&expand=${expand}`, undefined, text);
    }

    expect((await read("transfers,timeline")).status).toBe(200);
    for (const [name, scope] of [
      ["customer", "customers:read"],
      ["refunds", "refunds:read"],
      ["checkoutUrl", "payments:write"],
    ] as const) {
      const lacking = refusal(403, "Forbidden", `API key lacks the scope ${scope}`);
      expect((await read(name)).body).toEqual(lacking);
    }
  });

  test("says who made a payment and each of its steps, and nothing of shoppers", async () => {
    const shop = await product.gateway.addProject();
    const { signIn, as } = createMembers(
      () => product.gateway,
      () => shop,
    );
    const { id: keyId, text: key } = await product.gateway.addKey(shop.id, { type: "secret" });
    const member = await signIn();
    const asMember = as(member);
    function asKey(method: string, path: string, body?: object) {
      const headers = { "x-secret-key": key };
      return product.gateway.ask(method, path, { headers, ...(body && { body }) });
    }

    async function asShopper(id: string, action: string, body: object) {
      const headers = { "x-publishable-key": shop.publishable };
      return product.gateway.ask("POST", `/v1/payments/${id}/${action}`, { headers, body });
    }

    async function readMakers({ id }: { id: string }) {
      const { body } = await asKey("GET", `/v1/payments/${id}?expand=source,requestedBy,timeline`);
      const steps = body.timeline.map(({ event, madeBy }: Record<string, unknown>) => [
        event,
        madeBy,
      ]);
      return [body.source, body.requestedBy, ...steps];
    }

    const { body: first } = await asMember("POST", "/v1/payments", ORDER);
    await asShopper(first.id, "extend", { clientSecret: first.clientSecret });
    await asKey("POST", `/v1/payments/${first.id}/cancel`);
    expect(await readMakers(first)).toEqual([
      "dashboard",
      member.memberId,
      ["created", member.memberId],
      ["extended", null],
      ["expired", keyId],
    ]);
    const { body: second } = await asKey("POST", "/v1/payments", ORDER);
    const { clientSecret } = second;
    const [one, two] = ["8", "9"].map((digit) => `0x${digit.repeat(64)}`);
    await asShopper(second.id, "confirm", { clientSecret, txHash: one });
    await asMember("POST", `/v1/payments/${second.id}/transaction`, { txHash: two });
    expect(await readMakers(second)).toEqual([
      "api",
      keyId,
      ["created", keyId],
      ["transaction_submitted", null],
      ["transaction_submitted", member.memberId],
    ]);
  });
});

describeWithProduct("a creation", () => {
  let product: TestProduct;
  let secret: string;
  beforeAll(async () => {
    product = await startProduct({ SETTLEMENT_DESTINATION_DELAY_HOURS: "0" });
    secret = (await product.gateway.addProject()).secret;
  });
  afterAll(() => product?.stop());

  function ask(method: string, path: string, body?: object, headers = {}) {
    return product.gateway.ask(method, path, {
      headers: { "x-secret-key": secret, ...headers },
      ...(body && { body }),
    });
  }

  function create(change: object = {}, headers = {}) {
    return ask("POST", "/v1/payments", { ...ORDER, ...change }, headers);
  }

  test("Variant B is warned of where the fields alone have chosen it", async () => {
    const warning =
      "orderId and expiresInMinutes chose Variant B; send X-Service-Variant: primary or b";
    const detected = await create({ orderId: "o" });
    expect(detected.headers["x-service-warning"]).toBe(warning);
    expect(detected.headers.deprecation).toMatch(/^@\d+$/);
    expect(detected.headers.sunset).toBeUndefined();
    const chosen = await create({ orderId: "o" }, { "x-service-variant": "b" });
    expect(chosen.headers["x-service-warning"]).toBeUndefined();
  });

  test("null is an absent field of a creation", async () => {
    const optional = {
      description: null,
      metadata: null,
      qrMode: null,
      orderId: null,
      expiresInMinutes: null,
      customerId: null,
      returnUrl: null,
      cancelUrl: null,
      displayAmount: null,
      locale: null,
    };
    const { status, body, headers } = await create(optional);
    expect([status, body.status, headers["x-service-warning"]]).toEqual([
      201,
      "created",
      undefined,
    ]);
    expect((await create({ amount: null })).body.message).toBe("amount is required");
  });

  test("without recipientAddress it goes to the wallet of the project on that chain", async () => {
    const { recipientAddress: _, ...order } = ORDER;
    const missing = refusal(
      400,
      "Bad Request",
      `recipientAddress is required, because wallets of the project has none for chain ${CHAIN_ID}`,
    );
    expect((await ask("POST", "/v1/payments", order)).body).toEqual(missing);
    const address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
    const elsewhere = { chainId: 1, address: RECIPIENT };
    const wallets = [{ chainId: CHAIN_ID, address }, elsewhere];
    const saved = await ask("PUT", "/v1/projects/me", { wallets });
    expect(saved.body).toMatchObject({
      wallets: [elsewhere, { chainId: CHAIN_ID, address }],
      pendingWallets: null,
    });
    const key = { "idempotency-key": "default wallet" };
    const first = await ask("POST", "/v1/payments", order, key);
    expect([first.status, first.body.recipientAddress]).toEqual([201, address]);
    expect((await create()).body.recipientAddress).toBe(RECIPIENT);
    const other = await product.gateway.addProject();
    const theirs = await ask("POST", "/v1/payments", order, { "x-secret-key": other.secret });
    expect(theirs.body).toEqual(missing);
    await ask("PUT", "/v1/projects/me", { wallets: [] });
    const again = await ask("POST", "/v1/payments", order, key);
    expect([again.text, again.headers["idempotent-replayed"]]).toEqual([first.text, "true"]);
    expect((await ask("POST", "/v1/payments", order)).body).toEqual(missing);
  });

  test("the summary of a period has what was started, by day and currency", async () => {
    const { secret: own } = await product.gateway.addProject();
    const headers = { "x-secret-key": own };
    await create({}, headers);
    await create({ amount: "0.25" }, headers);
    const { body } = await ask("GET", "/v1/summary", undefined, headers);
    const none = { payments: 0, amount: "0" };
    const sums = {
      chainId: CHAIN_ID,
      currency: "native",
      started: { payments: 2, amount: "1.75" },
      paid: none,
      received: none,
      refunded: none,
    };
    expect(body).toMatchObject({ totals: [sums], days: [{ day: body.to, ...sums }] });
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(29 * 86_400_000);
    const before = await ask(
      "GET",
      "/v1/summary?from=2026-01-01&to=2026-01-31",
      undefined,
      headers,
    );
    const empty = { totals: [], days: [], medianWaitSeconds: null };
    expect(before.body).toEqual({ from: "2026-01-01", to: "2026-01-31", ...empty });
    for (const period of ["from=2025-01-01&to=2026-02-05", "from=2026-01-02&to=2026-01-01"]) {
      const refused = await ask("GET", `/v1/summary?${period}`, undefined, headers);
      expect(refused.body.message).toBe("from must be at most 399 days before to");
    }
  });

  test("an idempotency key in quotes is the same as without", async () => {
    const first = await create({}, { "idempotency-key": '"quoted"' });
    const again = await create({}, { "idempotency-key": "quoted" });
    expect([again.body.id, again.headers["idempotent-replayed"]]).toEqual([first.body.id, "true"]);
    expect((await create({}, { "idempotency-key": '""' })).status).toBe(400);
  });

  test("a list links to its next page, with the filters of the request", async () => {
    await create();
    await create();
    const { headers } = await ask("GET", "/v1/payments?status=created&limit=1&page=1");
    const next = /^<(\?[^>]+)>; rel="next"$/.exec(`${headers.link}`)?.[1];
    expect(next).toBe(`?status=created&limit=1&after=${headers["x-next-after"]}`);
    expect((await ask("GET", `/v1/payments${next}`)).body.data).toHaveLength(1);
  });

  test("an error is a problem of RFC 9457 where that is asked for", async () => {
    const accept = { accept: "application/problem+json" };
    const { status, text, headers } = await ask("GET", "/v1/nothing", undefined, accept);
    expect(headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect([status, JSON.parse(text)]).toEqual([
      404,
      {
        type: "http://127.0.0.1:8080/docs/errors#route_not_found",
        title: "Not Found",
        status: 404,
        detail: "Not found",
        instance: headers["x-request-id"],
        statusCode: 404,
        message: "Not found",
        error: "Not Found",
      },
    ]);
  });

  test("a slash at the end of an address changes nothing", async () => {
    const key = { "idempotency-key": "slash" };
    const first = await create({}, key);
    const again = await ask("POST", "/v1/payments/", { ...ORDER }, key);
    expect([again.body.id, again.headers["idempotent-replayed"]]).toEqual([first.body.id, "true"]);
    expect((await ask("GET", `/v1/payments/${first.body.id}/`)).status).toBe(200);
  });
});
