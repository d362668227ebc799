// Wallets that pay are screened by what the project has set, on a real chain.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Receiver, startReceiver } from "@pay/testing";
import { checksumAddress, toAddress, toReference, toReferenceSuffix } from "@pay/values";
import { describeChains, newWallet, startTestChains, type TestChains } from "./chains.ts";
import { addressData, ORACLE } from "./contracts.ts";

describeChains("screening of wallets that pay", () => {
  let chains: TestChains;
  let server: Receiver;
  let oracle = "";
  /** Lower case. */
  let clean = "";
  let listed = "";
  beforeAll(async () => {
    server = await startReceiver({ plain: true });
    chains = await startTestChains({
      environment: { WEBHOOKS_ALLOW_HOSTS: "localhost", WEBHOOKS_ALLOW_HTTP: "1" },
    });
    oracle = await chains.chain.deploy(ORACLE);
    [, clean = "", listed = ""] = chains.chain.accounts.map((account) => account.toLowerCase());
  });
  afterAll(async () => {
    await chains?.stop();
    await server?.stop();
  });

  /** An order of 10, and the wallets that pay parts of it. */
  async function pay(parts: readonly { from: string; value: bigint }[], more: object = {}) {
    const shop = newWallet();
    const id = await chains.open({ recipientAddress: shop, baseAmount: "10", ...more });
    await chains.watched(id);
    for (const { from, value } of parts) await chains.chain.payNative({ from, to: shop, value });
    return id;
  }

  async function answered(id: string, final = "10") {
    const money = await chains.paid(id, final);
    const { needs, screened, screenedBaseAmount: of } = money;
    return { final, needs, of, named: screened.map(({ address, cause }) => [address, cause]) };
  }

  const CLEAR = { final: "10", needs: undefined, of: undefined, named: [] };

  function named(from: string, cause: string) {
    return { final: "10", needs: "review", of: "10", named: [[from, cause]] };
  }

  test("a list names the second of two wallets, whose money counts for no more than itself", async () => {
    await chains.screen({ list: [listed] });
    const id = await pay([
      { from: clean, value: 6n },
      { from: listed, value: 4n },
    ]);
    expect(await answered(id)).toEqual({ ...named(listed, "list"), of: "4" });
    const whole = await pay([{ from: clean, value: 10n }]);
    expect(await answered(whole)).toEqual(CLEAR);
  });

  test("dust of a listed stranger asks nobody", async () => {
    await chains.screen({ list: [listed] });
    const baseAmount = "10000";
    const id = await pay(
      [
        { from: listed, value: 1n },
        { from: clean, value: 10_000n },
      ],
      { baseAmount },
    );
    expect(await answered(id, "10000")).toMatchObject({ needs: undefined, of: undefined });
    expect(await chains.money(id)).toMatchObject({ seenBaseAmount: "10001" });
  });

  test("an oracle is asked on the chain of the payment", async () => {
    await chains.chain.send({ to: oracle, data: addressData(listed) });
    await chains.screen({ oracle });
    expect(await answered(await pay([{ from: clean, value: 10n }]))).toEqual(CLEAR);
    const id = await pay([{ from: listed, value: 10n }]);
    expect(await answered(id)).toEqual(named(listed, "oracle"));
  });

  test("a server of the merchant is asked about each wallet of each payment once", async () => {
    const names = checksumAddress(toAddress(listed));
    server.respondWith(({ body }, response) => {
      const { address } = JSON.parse(body.toString());
      response.end(JSON.stringify({ flagged: address === names }));
    });
    await chains.screen({ url: `${server.url}/k3y` });
    expect(await answered(await pay([{ from: clean, value: 10n }]))).toEqual(CLEAR);
    const id = await pay([{ from: listed, value: 10n }]);
    expect(await answered(id)).toEqual(named(listed, "url"));
    const asked = server.all.filter(({ body }) => body.includes(id));
    expect(asked.map(({ path, body }) => [path, JSON.parse(body.toString())])).toEqual([
      ["/k3y", { address: names, chainId: chains.chain.chainId, paymentId: id }],
    ]);
  });

  test("what is no verdict of a server, or may not be asked, is no answer", async () => {
    const answers = [
      { status: 500, body: '{"flagged":false}' },
      { status: 302, headers: { location: "/k3y" }, body: '{"flagged":false}' },
      { status: 200, body: '{"flagged":"false"}' },
      { status: 200, body: `{"flagged":false,"more":"${"x".repeat(20_000)}"}` },
      { status: 200, body: '{"flagged":fal' },
    ];
    server.respondWith(({ path }, response) => {
      const { status = 200, headers, body } = answers[Number(path.slice(1))] ?? {};
      response.writeHead(status, headers).end(body);
    });
    const before = server.all.length;
    const urls = [...answers.map((_, at) => `${server.url}/${at}`), "https://10.0.0.1/k3y"];
    const ids = await Promise.all(
      urls.map(async (url, at) => {
        await chains.screen({ url }, `proj_${at}`);
        return pay([{ from: clean, value: 10n }], { projectId: `proj_${at}` });
      }),
    );
    for (const id of ids) expect(await answered(id)).toEqual(named(clean, "unanswered"));
    expect(server.all.length - before).toBe(3 * answers.length);
  });

  test("what gives no answer is retried, and then the project has decided", async () => {
    const silent = { onFail: "review", oracle: newWallet() } as const;
    await chains.screen(silent);
    const reviewed = await pay([{ from: listed, value: 10n }]);
    expect(await chains.money(reviewed)).toMatchObject({ seenBaseAmount: "10", screened: [] });
    await chains.screen({ ...silent, onFail: "allow" }, "proj_other");
    const allowed = await pay([{ from: listed, value: 10n }], { projectId: "proj_other" });
    expect(await answered(allowed)).toEqual(CLEAR);
    expect(await answered(reviewed)).toEqual(named(listed, "unanswered"));
  });

  test("what has paid before a project begins to screen counts on", async () => {
    await chains.screen(undefined);
    const id = await pay([{ from: listed, value: 10n }]);
    await chains.paid(id, 10n);
    await chains.screen({ list: [listed] });
    const [{ recipient }] = (
      await chains.pool.query("select recipient from watches where payment_id = $1", [id])
    ).rows;
    const data = `0x${toReferenceSuffix(toReference(id))}`;
    await chains.chain.send({ from: clean, to: recipient, value: 5n, data });
    await chains.paid(id, 15n);
  });
});
