// The statement of a day: what a payment received and its refund gave back, as JSON lines and as CSV. The recorded
// times are moved to a day in the past, because the present day has no statement.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { checksumAddress, toAddress } from "@pay/values";
import { refusal, type TestProject } from "./gateway.ts";
import {
  CHAIN_ID,
  describeWithProduct,
  RECIPIENT,
  startProduct,
  type TestProduct,
} from "./product.ts";

const UNIT = 10n ** 18n;
const ORDER = { amount: "1.5", chainId: CHAIN_ID, currency: "native", recipientAddress: RECIPIENT };
const DAY = "2026-01-31";
/** More than two pages. */
const MORE = 450;
/** A spreadsheet would run it. */
const FORMULA = '=HYPERLINK("x")';

describeWithProduct("the statement of a day", () => {
  let product: TestProduct;
  let shop: TestProject;
  let payer: string;
  let payment: string;
  let refund: string;
  let paid: string;
  let given: string;

  beforeAll(async () => {
    product = await startProduct({ CHAINS_BOOKS_INTERVAL_MS: "50" });
    shop = await product.gateway.addProject();
    payer = checksumAddress(toAddress(product.chain.accounts[6] ?? ""));
    const displayAmount = { amount: "3.00", currency: "EUR" };
    const metadata = { channel: "shop, north", basket: { mugs: 2 } };
    const order = { ...ORDER, orderId: FORMULA, displayAmount, metadata };
    payment = (await ask("POST", "/v1/payments", order)).body.id;
    const value = (3n * UNIT) / 2n;
    paid = await product.chain.payNative({ from: payer, to: RECIPIENT, value });
    await ask("POST", `/v1/payments/${payment}/transaction`, { txHash: paid });
    await reaches(`/v1/payments/${payment}`, "confirmed");
    const wanted = { paymentId: payment, amount: "0.5" };
    refund = (await ask("POST", "/v1/refunds", wanted)).body.id;
    given = await product.chain.payNative({ from: RECIPIENT, to: payer, value: UNIT / 2n });
    await ask("POST", `/v1/refunds/${refund}/transaction`, { txHash: given });
    await reaches(`/v1/refunds/${refund}`, "completed");
    await product
      .getPool("chains")
      .query(
        `update allocations set created_at = $1::timestamptz + transfer_id * interval '1 second'`,
        [`${DAY}T12:00:00Z`],
      );
  });
  afterAll(() => product?.stop());

  function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const key = { "x-secret-key": shop.secret };
    return product.gateway.ask(method, path, {
      headers: { ...key, ...headers },
      ...(body && { body }),
    });
  }

  function reaches(path: string, status: string) {
    return until(async () => (await ask("GET", path)).body.status === status, { what: status });
  }

  async function rows(day: string, headers: Record<string, string> = {}) {
    const { text } = await ask("GET", `/v1/statements/${day}`, undefined, headers);
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  test("balances have what can be settled, and no amount that the books do not know", async () => {
    const path = "/v1/balances?limit=1";
    /** Leased, so that the keeper of the books changes nothing meanwhile. */
    async function setAccount(block: number, balance: bigint | null) {
      await product.getPool("chains").query(
        `update book_accounts set lease = lease + 1, leased_until = 'infinity',
           opened_block = $2::bigint, checked_block = $2, balance = $3::numeric, balance_block = case when $3 is not null then $2 end
         where wallet = lower($1) and currency = 'native'`,
        [RECIPIENT, block, balance],
      );
    }

    await setAccount(-1, null);
    const answer = await ask("GET", path);
    expect([answer.status, answer.body, answer.headers["x-next-after"]]).toEqual([
      200,
      {
        data: [
          {
            chainId: CHAIN_ID,
            walletAddress: RECIPIENT,
            currency: "native",
            balance: null,
            blockNumber: null,
            available: "1",
            unswept: null,
          },
        ],
      },
      undefined,
    ]);
    await setAccount(3, (5n * UNIT) / 4n);
    const [read] = (await ask("GET", path)).body.data;
    expect(read).toMatchObject({ balance: "1.25", blockNumber: 3, unswept: "0" });
    const { text } = await product.gateway.addKey(shop.id, {
      type: "secret",
      scopes: ["payments:read"],
    });
    const restricted = { "x-secret-key": text };
    expect((await ask("GET", path, undefined, restricted)).status).toBe(403);
    const wrong = await ask("GET", `${path}&after=1_native_x`);
    expect(wrong.body).toEqual(
      refusal(400, "Bad Request", "after must be the cursor of an earlier page"),
    );
    const { body } = await ask("GET", "/v1/chains/health", undefined, restricted);
    expect(body).toEqual([
      {
        chainId: CHAIN_ID,
        name: "Local chain",
        headBlock: expect.any(Number),
        followedBlock: expect.any(Number),
        secondsBehind: expect.any(Number),
        upToDate: true,
        finality: "confirmations",
        confirmations: 1,
        providers: { answering: 1, configured: 1 },
        watchedAddresses: 0,
        tokens: [expect.objectContaining({ symbol: "TUSD" })],
      },
    ]);
  });

  test("has a row for what a payment received and one for what its refund gave back", async () => {
    const answer = await ask("GET", `/v1/statements/${DAY}`);
    expect([answer.status, answer.headers["content-type"]]).toEqual([
      200,
      "application/jsonl; charset=utf-8",
    ]);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const recordedAt = expect.stringMatching(/^2026-01-31T12:0\d:\d\d\.000Z$/);
    const common = {
      recordedAt,
      minedAt: time,
      paymentId: payment,
      orderId: FORMULA,
      currency: "native",
      chainId: CHAIN_ID,
      logIndex: null,
      blockNumber: expect.any(Number),
    };
    expect(await rows(DAY)).toEqual([
      {
        ...common,
        type: "payment",
        id: payment,
        txHash: paid,
        fromAddress: payer,
        amount: "1.5",
        baseAmount: String((3n * UNIT) / 2n),
        toAddress: RECIPIENT,
        displayAmount: "3.00",
        displayCurrency: "EUR",
      },
      {
        ...common,
        type: "refund",
        id: refund,
        txHash: given,
        fromAddress: RECIPIENT,
        amount: "0.5",
        baseAmount: String(UNIT / 2n),
        toAddress: payer,
        displayAmount: "3.00",
        displayCurrency: "EUR",
      },
    ]);
  });

  test("is CSV on request, and no cell of it is a formula", async () => {
    const answer = await ask("GET", `/v1/statements/${DAY}`, undefined, { accept: "text/csv" });
    expect(answer.headers["content-type"]).toMatch(/^text\/csv/);
    const [head, first, second, ...rest] = answer.text.split("\r\n");
    expect(head).toBe(
      "recordedAt,minedAt,type,id,paymentId,orderId,amount,baseAmount,currency,chainId,txHash,logIndex,blockNumber,fromAddress,toAddress,displayAmount,displayCurrency",
    );
    const order = `"'=HYPERLINK(""x"")"`;
    expect(first).toContain(`,payment,${payment},${payment},${order},1.5,`);
    expect(second).toContain(`,refund,${refund},${payment},${order},0.5,`);
    expect(rest).toEqual([""]);
  });

  test("of several days has the chosen columns in their order, and the running day", async () => {
    const csv = { accept: "text/csv" };
    const query = "columns=symbol,id,metadata.channel,metadata.basket,metadata.constructor,amount";
    const days = `from=2026-01-30&to=${new Date().toISOString().slice(0, 10)}`;
    const { text } = await ask("GET", `/v1/statements?${days}&${query}&bom=true`, undefined, csv);
    const more = `"shop, north","{""mugs"":2}",`;
    expect(text.split("\r\n")).toEqual([
      "\ufeffsymbol,id,metadata.channel,metadata.basket,metadata.constructor,amount",
      `ETH,${payment},${more},1.5`,
      `ETH,${refund},${more},0.5`,
      "",
    ]);
    const { text: lines } = await ask("GET", `/v1/statements?${days}`);
    expect(lines).toBe((await ask("GET", `/v1/statements/${DAY}`)).text);
    const other = await product.gateway.addProject();
    for (const key of [other.secret, shop.testSecret]) {
      const strange = { "x-secret-key": key };
      expect((await ask("GET", `/v1/statements?${days}`, undefined, strange)).text).toBe("");
    }
  });

  test.each([
    ["from=2026-02-01&to=2026-01-31", "from must be at most 399 days before to"],
    ["from=2024-12-01&to=2026-01-31", "from must be at most 399 days before to"],
    ["columns=id,price", expect.stringMatching(/^columns must be at most 60 of recordedAt, /)],
    ["columns=metadata.", expect.stringMatching(/^columns must be/)],
    ["bom=1", "bom must be true or false"],
  ])("of several days refuses %s", async (query, message) => {
    const { body } = await ask("GET", `/v1/statements?${query}`);
    expect(body).toEqual(refusal(400, "Bad Request", message as string));
  });

  test("is empty on another day, for another project and in the other mode", async () => {
    expect(await rows("2026-01-30")).toEqual([]);
    expect(await rows("2026-02-01")).toEqual([]);
    const other = await product.gateway.addProject();
    for (const key of [other.secret, shop.testSecret]) {
      expect(await rows(DAY, { "x-secret-key": key })).toEqual([]);
    }
  });

  test("is refused for a day that is not over, for a text that is no day, and without its scope", async () => {
    const future = await ask("GET", "/v1/statements/2999-12-31");
    const message = "The statement of 2999-12-31 is there from 3000-01-01T00:01:00.000Z on";
    expect(future.body).toEqual(refusal(409, "Conflict", message));
    for (const day of ["2026-02-30", "2026-1-1", "yesterday", "20260131", "2026-01-31T00"]) {
      expect((await ask("GET", `/v1/statements/${day}`)).body).toEqual(
        refusal(400, "Bad Request", "day must be a date in the form YYYY-MM-DD"),
      );
    }
    const scopes = ["payments:read", "refunds:read"];
    const { text } = await product.gateway.addKey(shop.id, { type: "secret", scopes });
    const weak = { "x-secret-key": text };
    expect((await ask("GET", `/v1/statements/${DAY}`, undefined, weak)).status).toBe(403);
  });

  test("of many pages has every movement once, in the order of its recording", async () => {
    await product.getPool("chains").query(
      `with made as (
         insert into transfers (chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time,
           currency, sender, recipient, wallet, value, arrived_at, status)
         select chain_id, tx_hash, 'log', n, block_number, block_hash, block_time, currency, sender, recipient, wallet, n,
           arrived_at, 'final'
         from transfers t, generate_series(1, ${MORE}) n where t.tx_hash = $1 returning id
       )
       insert into allocations (transfer_id, project_id, mode, subject_id, created_at)
       select made.id, a.project_id, a.mode, a.subject_id, $2::timestamptz
       from made, allocations a where a.subject_id = $3`,
      [paid, "2026-03-01T12:00:00Z", payment],
    );
    const amounts = (await rows("2026-03-01")).map(({ baseAmount }) => Number(baseAmount));
    expect(amounts.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: MORE }, (_, at) => at + 1),
    );
  });

  test("of a month sums up to its books, whose difference a note closes", async () => {
    const { gateway, chain, getPool } = product;
    const owner = await gateway.addProject();
    const month = new Date().toISOString().slice(0, 7);
    const [recipientAddress = ""] = chain.accounts.slice(7);
    function askAs(secret: string, method: string, path: string, body?: object) {
      const headers = { "x-secret-key": secret };
      return gateway.ask(method, path, { headers, ...(body && { body }) });
    }

    async function readRow(secret = owner.secret) {
      const { body } = await askAs(secret, "GET", `/v1/books/${month}`);
      expect([body.month, body.state]).toEqual([month, "running"]);
      return body.data[0];
    }

    const order = { ...ORDER, recipientAddress };
    const { id } = (await askAs(owner.secret, "POST", "/v1/payments", order)).body;
    const txHash = await chain.payNative({ to: recipientAddress, value: (3n * UNIT) / 2n });
    await askAs(owner.secret, "POST", `/v1/payments/${id}/transaction`, { txHash });
    // Until the block is final, and a minute more.
    await chain.mine(140);
    const row = await until(
      async () => {
        const found = await readRow();
        return found?.payments === "1.5" && found;
      },
      { what: "the payment in the books" },
    );
    expect(row).toMatchObject({ refunds: "0", other: "0", otherTransfers: 0, difference: "0" });
    expect(row.closing).toBe(row.chainBalance);
    const period = `from=${month}-01&columns=type,amount,symbol`;
    expect((await askAs(owner.secret, "GET", `/v1/statements?${period}`)).text).toBe(
      `${JSON.stringify({ type: "payment", amount: "1.5", symbol: row.symbol })}\n`,
    );
    for (const stranger of [owner.testSecret, shop.testSecret]) {
      expect(await readRow(stranger)).toBeUndefined();
    }

    // A record that the chain does not show.
    const change = "update book_records set unproven = $2 where project_id = $1 and month = $3";
    await getPool("chains").query(change, [owner.id, "5", month]);
    async function listNeeds() {
      return (await askAs(owner.secret, "GET", "/v1/needs?kind=book_difference")).body.data;
    }

    const difference = "-0.000000000000000005";
    expect(await listNeeds()).toMatchObject([{ id: row.id, amount: difference, detail: month }]);
    const months = await askAs(owner.secret, "GET", "/v1/books");
    expect(months.body).toEqual({ data: [{ month, state: "running", differences: 1 }] });
    const note = { note: "Known", take: true, done: true };
    expect((await askAs(owner.secret, "POST", `/v1/needs/${row.id}`, note)).status).toBe(200);
    const stranger = await askAs(shop.secret, "POST", `/v1/needs/${row.id}`, note);
    expect(stranger.status).toBe(404);
    expect(await listNeeds()).toEqual([]);
    expect(await readRow()).toMatchObject({
      difference,
      note: "Known",
      takenBy: { id: expect.stringMatching(/^key_/) },
      doneAt: expect.any(String),
    });
    expect((await askAs(owner.secret, "GET", "/v1/books")).body.data[0].differences).toBe(0);
    await getPool("chains").query(change, [owner.id, "6", month]);
    expect(await listNeeds()).toHaveLength(1);
    expect(await readRow()).toMatchObject({ note: null, doneAt: null });
    for (const wrong of ["2026-13", "2026-1", "now"]) {
      const { body } = await askAs(owner.secret, "GET", `/v1/books/${wrong}`);
      expect(body.message).toBe("month must be a month in the form YYYY-MM");
    }
  });
});
