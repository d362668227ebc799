// Proven money always confirms a payment, every refund can be completed, and people are told of money that waits for
// them: seen by a shop, on a real chain.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createTestRuntime, type Lifecycle } from "@pay/process";
import { Mode, PaymentsService } from "@pay/proto";
import { connect } from "@pay/rpc";
import { type MailServer, startMailServer, startReceiver, until } from "@pay/testing";
import { refusal, startTestGateway, type TestProject } from "./gateway.ts";
import { createMembers } from "./members.ts";
import {
  CHAIN_ID,
  describeWithProduct,
  RECIPIENT,
  startProduct,
  type TestProduct,
} from "./product.ts";
import { LOCAL_ISSUERS } from "./sso.ts";

const ELSEWHERE = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const ANOTHER_WALLET = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65";
const TENTH = 10n ** 17n;
const UNKNOWN_HASH = `0x${"7".repeat(64)}`;
const MINUTE_MS = 60_000;
const ORDER = { amount: "1", chainId: CHAIN_ID, currency: "native", recipientAddress: RECIPIENT };

describeWithProduct("proofs", () => {
  let product: TestProduct;
  let shop: TestProject;
  let life: Lifecycle;
  let shopper: string;
  let mailServer: MailServer;
  let env: Record<string, string>;
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  beforeAll(async () => {
    mailServer = await startMailServer();
    mailServer.trust();
    env = { ...LOCAL_ISSUERS, SMTP_URL: mailServer.url };
    product = await startProduct(env, clock);
    shop = await product.gateway.addProject();
    life = createTestRuntime("reader");
    shopper = product.chain.accounts[6] ?? "";
  });
  afterAll(async () => {
    await life?.stop();
    await product?.stop();
    await mailServer?.stop();
  });

  function ask(method: string, path: string, body?: object) {
    return product.gateway.ask(method, path, {
      headers: { "x-secret-key": shop.secret },
      ...(body && { body }),
    });
  }

  async function create() {
    return (await ask("POST", "/v1/payments", ORDER)).body;
  }

  async function handIn(kind: "payments" | "refunds", id: string, body: object) {
    const answer = await ask("POST", `/v1/${kind}/${id}/transaction`, body);
    expect(answer.status).toBe(200);
    return answer.body;
  }

  function reaches(path: string, fields: object) {
    return until(
      async () => {
        const { body } = await ask("GET", path);
        const isSo = Object.entries(fields).every(([name, value]) => body[name] === value);
        return isSo && body;
      },
      { what: `${path} with ${JSON.stringify(fields)}` },
    );
  }

  async function paid(tenths: bigint) {
    const { id } = await create();
    const payment = { from: shopper, to: RECIPIENT, value: tenths * TENTH };
    // Other payments to the recipient are open, so the merchant says which one it is for.
    const assigned = { txHash: await product.chain.payNative(payment), attribute: true };
    await handIn("payments", id, assigned);
    await reaches(`/v1/payments/${id}`, { status: "confirmed" });
    return id as string;
  }

  function payBack(tenths: bigint) {
    return product.chain.payNative({ from: RECIPIENT, to: shopper, value: tenths * TENTH });
  }

  test("a payment whose second hash is refused is confirmed by the first one, which is mined later", async () => {
    const { chain } = product;
    const from = chain.accounts[7] ?? "";
    const nonce = Number(await chain.call("eth_getTransactionCount", [from, "latest"]));
    // It waits in the pool for the transaction before it.
    const slow = await chain.submit({ from, to: RECIPIENT, value: 10n * TENTH, nonce: nonce + 1 });
    const wrong = await chain.payNative({ from: shopper, to: ELSEWHERE, value: TENTH });
    const { id } = await create();
    await handIn("payments", id, { txHash: slow });
    await handIn("payments", id, { txHash: wrong });
    await reaches(`/v1/payments/${id}`, { status: "processing", txHash: slow });
    await chain.send({ from, to: ELSEWHERE, value: 1n, nonce });
    await reaches(`/v1/payments/${id}`, { status: "confirmed", txHash: slow });
    const { body } = await ask("GET", `/v1/payments/${id}?expand=timeline`);
    const steps = body.timeline.map((step: Record<string, string>) => [step.event, step.txHash]);
    expect(steps).toEqual([
      ["created", null],
      ["transaction_submitted", slow],
      ["transaction_submitted", wrong],
      ["transaction_refuted", wrong],
      ["confirmed", slow],
    ]);
  });

  test("a payer without a signature is a note, and the wallet that paid takes its place", async () => {
    const { id } = await create();
    await handIn("payments", id, { txHash: UNKNOWN_HASH });
    const late = { txHash: `0x${"8".repeat(64)}`, payerAddress: ANOTHER_WALLET };
    expect((await ask("POST", `/v1/payments/${id}/transaction`, late)).status).toBe(200);
    const noted = await ask("GET", `/v1/payments/${id}?expand=payerAddress`);
    expect(noted.body.payerAddress).toBe(ANOTHER_WALLET.toLowerCase());

    const confirmed = await paid(10n);
    const shown = await ask("GET", `/v1/payments/${confirmed}?expand=payerAddress`);
    expect(shown.body.payerAddress).toBe(shopper.toLowerCase());
  });

  test("payments learns which hashes the merchant submitted, and which it assigned", async () => {
    const client = connect(PaymentsService, product.addresses.PAYMENTS_ADDRESS ?? "", life);
    async function byMerchant(id: string) {
      const tenant = { projectId: shop.id, mode: Mode.LIVE };
      const { results } = await client.batchGetPayments({ requests: [{ tenant, id }] });
      const result = results[0]?.result;
      if (result?.case !== "payment") throw new Error("payments has no such payment");
      return result.value.hashes.map((hash) => [hash.byMerchant, hash.isAssigned]);
    }

    const [own, assigned, theirs] = [await create(), await create(), await create()];
    await handIn("payments", own.id, { txHash: UNKNOWN_HASH.replace("0x7", "0x1") });
    const word = { txHash: UNKNOWN_HASH.replace("0x7", "0x3"), attribute: true };
    await handIn("payments", assigned.id, word);
    const { clientSecret } = theirs;
    const confirmation = { clientSecret, txHash: UNKNOWN_HASH.replace("0x7", "0x2") };
    await product.gateway.ask("POST", `/v1/payments/${theirs.id}/confirm`, {
      headers: { "x-publishable-key": shop.publishable },
      body: confirmation,
    });
    const ids = [own.id, assigned.id, theirs.id];
    expect((await Promise.all(ids.map(byMerchant))).flat()).toEqual([
      [true, false],
      [true, true],
      [false, false],
    ]);
  });

  test("what was paid too much goes back after the payment is refunded, when it is named", async () => {
    const id = await paid(12n);
    const { body: whole } = await ask("POST", "/v1/refunds", { paymentId: id });
    expect(whole.amount).toBe("1");
    await handIn("refunds", whole.id, { txHash: await payBack(10n) });
    await reaches(`/v1/payments/${id}`, { status: "refunded" });
    const unnamed = await ask("POST", "/v1/refunds", { paymentId: id });
    const message = "The payment's amount is refunded; surplus: true refunds the 0.2 beyond it";
    expect([unnamed.status, unnamed.body]).toEqual([409, refusal(409, "Conflict", message)]);
    const { body: rest } = await ask("POST", "/v1/refunds", { paymentId: id, surplus: true });
    await handIn("refunds", rest.id, { txHash: await payBack(2n) });
    await reaches(`/v1/refunds/${rest.id}`, { status: "completed" });
    const nothing = await ask("POST", "/v1/refunds", { paymentId: id, amount: "0.1" });
    expect(nothing.body).toEqual(refusal(409, "Conflict", "Payment is fully refunded"));
    const { body } = await ask("GET", `/v1/payments/${id}?expand=receivedAmount`);
    expect(body).toMatchObject({ status: "refunded", receivedAmount: "1.2" });
  });

  test("a refund with a mistyped hash is completed by the right one", async () => {
    const id = await paid(10n);
    const { body: refund } = await ask("POST", "/v1/refunds", { paymentId: id });
    await handIn("refunds", refund.id, { txHash: UNKNOWN_HASH });
    const txHash = await payBack(10n);
    await handIn("refunds", refund.id, { txHash });
    await reaches(`/v1/refunds/${refund.id}`, { status: "completed", txHash });
    await reaches(`/v1/payments/${id}`, { status: "refunded" });
  });

  test("a refund whose transaction counts for another one keeps its amount reserved and shows the reason", async () => {
    const id = await paid(10n);
    const half = { paymentId: id, amount: "0.5" };
    const [one, other] = [
      (await ask("POST", "/v1/refunds", half)).body,
      (await ask("POST", "/v1/refunds", half)).body,
    ];
    const txHash = await payBack(5n);
    await handIn("refunds", one.id, { txHash });
    await reaches(`/v1/refunds/${one.id}`, { status: "completed" });
    await handIn("refunds", other.id, { txHash });
    const path = `/v1/refunds/${other.id}?expand=heldReason,failureReason`;
    const held = { status: "created", heldReason: "transfer_already_used", failureReason: null };
    await reaches(path, held);
    const more = await ask("POST", "/v1/refunds", { paymentId: id, amount: "0.1" });
    expect(more.body).toEqual(refusal(409, "Conflict", "Payment is fully refunded"));
    await handIn("refunds", other.id, { txHash: await payBack(5n) });
    await reaches(path, { status: "completed", heldReason: null });
  });

  test("each target of a project is told once of what waits, at most hourly, by one of the replicas", async () => {
    const told = await product.gateway.addProject();
    const { email } = await createMembers(
      () => product.gateway,
      () => told,
    ).signIn();
    const receiver = await startReceiver({ plain: true, host: "localhost" });
    const replica = await startTestGateway({
      clock,
      env: { ...product.addresses, ...env },
      databaseUrl: product.gateway.databaseUrl,
    });
    function ask(
      method: string,
      path: string,
      body?: object,
      { key = told.secret, by = product.gateway } = {},
    ) {
      return by.ask(method, path, { headers: { "x-secret-key": key }, ...(body && { body }) });
    }

    async function payPart(): Promise<string> {
      const { body } = await ask("POST", "/v1/payments", ORDER);
      const txHash = await product.chain.payNative({ from: shopper, to: RECIPIENT, value: TENTH });
      const submitted = { txHash, attribute: true };
      await ask("POST", `/v1/payments/${body.id}/transaction`, submitted);
      const read = async () => (await ask("GET", `/v1/payments/${body.id}`)).body.status;
      await until(async () => (await read()) === "failed", { what: "the part" });
      return body.id;
    }

    const url = `${receiver.url}/told`;
    const wanted = [
      { url, kinds: ["part"] },
      { email, kinds: [] },
      { url: `${receiver.url}/books`, kinds: ["book_difference"] },
    ];
    async function save(notices: object[] = wanted) {
      const saved = [product.gateway, replica].map((by) =>
        ask("PUT", "/v1/projects/me", { notices }, { by }),
      );
      return (await Promise.all(saved)).map(({ status }) => status);
    }

    async function readNext() {
      const { path, body } = await receiver.next();
      const { needs, ...rest } = JSON.parse(body.toString());
      return { path, rest, ids: needs.map(({ id }: { id: string }) => id), needs };
    }

    try {
      for (const notices of [
        [{ email: "stranger@shop.example" }],
        [{ url: "https://10.0.0.1/" }],
        [{ url }, { url }],
        [{ url, email }],
        [{}],
      ]) {
        expect(await save(notices)).toEqual([400, 400]);
      }
      const byTest = await ask("PUT", "/v1/projects/me", { notices: [] }, { key: told.testSecret });
      expect(byTest.status).toBe(403);
      const first = await payPart();
      expect(await save()).toEqual([200, 200]);
      const { path, rest, needs } = await readNext();
      expect([path, needs]).toEqual([
        "/told",
        [{ id: first, kind: "part", mode: "live", at: expect.any(String) }],
      ]);
      const page = `http://localhost:8080/dashboard/needs?project=${told.id}`;
      const shown = { projectId: told.id, text: "1 thing waits for a person of Shop", page };
      expect(rest).toEqual(shown);
      const { text } = await mailServer.find(email);
      expect(text).toContain(`- a part of a payment arrived: ${first}`);
      expect(text).toContain(page);

      const second = await payPart();
      aheadMs = 55 * MINUTE_MS;
      await save();
      receiver.respondWith(500);
      aheadMs = 61 * MINUTE_MS;
      await save();
      expect((await readNext()).ids).toEqual([second]);
      receiver.respondWith(200);
      const third = await payPart();
      aheadMs += 6 * MINUTE_MS;
      await save();
      expect(new Set((await readNext()).ids)).toEqual(new Set([second, third]));
      await until(() => mailServer.mails.length === 2, { what: "the second mail" });
      expect(mailServer.mails[1]?.text).not.toContain(first);
      expect(receiver.all).toHaveLength(3);
      const { body } = await ask("GET", "/v1/projects/me?expand=notices");
      expect(body.notices[1]).toEqual({ url: null, email, kinds: [] });
    } finally {
      aheadMs = 0;
      await replica.stop();
      await receiver.stop();
    }
  });
});
