// Plays the steps of a story before the product, on the local chain.
import { callNode, sendFrom } from "@pay/embedded";
import { until } from "@pay/testing";
import { toAmount, toBaseUnits, toDecimal, toReference, toReferenceSuffix } from "@pay/values";
import { Wallet, ZeroAddress } from "ethers";
import { reorganise } from "../harness/reorganise.ts";
import { keyHeader, type Product } from "../v1/product.ts";
import type { Order, Shop } from "./shop.ts";
import type { Story } from "./told-stories.ts";

/** One of a story is so much of the native coin. */
const UNIT = 10n ** 14n;
const THOUSANDTH = UNIT / 1_000n;
/** Longer than a block, and than the second to which its time is rounded. */
const BLOCK_MS = 5_000;
const SLOW = "0xb2d05e00";
const FAST = "0x218711a00";
const GAS = 10n ** 18n;

export function toBase(amount: string): bigint {
  return BigInt(Math.round(Number(amount) * 1_000)) * THOUSANDTH;
}

/** As the product writes it. */
export function toCoins(amount: string): string {
  return toDecimal(toAmount(toBase(amount)), 18);
}

/** As a story writes it. */
function sumAmounts(parts: readonly { amount: string }[]): string {
  const units = parts.map(({ amount }) => toBaseUnits(amount, 18) ?? 0n);
  const sum = units.reduce<bigint>((total, one) => total + one, 0n);
  return `${Number(sum / THOUSANDTH) / 1_000}`;
}

export interface Stage {
  product: Product;
  shop: Shop;
  accounts: readonly string[];
  /** Ends when the time of the chain is five minutes later, which it is once every story has come so far. */
  passTime(): Promise<void>;
}

export interface Played {
  order: Order;
  amount: string;
}

/** The contract wallet: passes what it gets on to the address in its call data. */
const CONTRACT = {
  name: "c1",
  address: `0x${"c1".repeat(20)}`,
  code: "0x6000600060006000346000355af100",
};

export async function addOtherWallets({ product }: Pick<Stage, "product">): Promise<void> {
  const { chainRpcUrl } = product.credentials;
  await callNode(chainRpcUrl, "anvil_setCode", [CONTRACT.address, CONTRACT.code]);
  await callNode(chainRpcUrl, "anvil_impersonateAccount", [ZeroAddress]);
  await callNode(chainRpcUrl, "anvil_setBalance", [ZeroAddress, `0x${GAS.toString(16)}`]);
}

export function getWallet({ accounts }: Pick<Stage, "accounts">, name: string): string {
  if (name === "w0") return ZeroAddress;
  if (name === CONTRACT.name) return CONTRACT.address;
  // The first ones are those of the demo project.
  const number = Number(name.slice(1));
  return accounts[number < 5 ? number + 2 : number] ?? "";
}

export function callAs({ product }: Pick<Stage, "product">, kind: "secret" | "publishable") {
  const { secretKey, publishableKey } = product.credentials;
  const headers = keyHeader(kind === "secret" ? secretKey : publishableKey);
  return async (method: string, path: string, body?: object) => {
    return product.askOnly(method, path, { headers, ...(body && { body }) });
  };
}

type Step = [pattern: RegExp, act: (...parts: string[]) => Promise<unknown>];

/** Calls onCalm once other transactions of its wallets and new blocks are no hindrance to it. */
export async function play(
  stage: Stage,
  { title, steps }: Story,
  onCalm: () => void,
): Promise<Map<string, Played>> {
  const { product, shop } = stage;
  const { chainRpcUrl } = product.credentials;
  const [secret, publishable] = [callAs(stage, "secret"), callAs(stage, "publishable")];
  const recipient = Wallet.createRandom();
  const recipientAddress = recipient.address;
  const orders = new Map<string, Played>();
  const sent: string[] = [];
  let raws: unknown[] = [];
  let refunds = 0;

  function getOrder(name: string): Order {
    const order = orders.get(name)?.order;
    if (order === undefined) throw new Error(`${title}: there is no order ${name}`);
    return order;
  }

  async function must(answer: ReturnType<typeof secret>, expected: number) {
    const { status, text, body } = await answer;
    if (status !== expected) throw new Error(`${title}: ${status} ${text}`);
    return body;
  }

  /** What names an order in a call. */
  async function nameOrder(name: string): Promise<string> {
    const elsewhere = { amount: "1", recipientAddress: Wallet.createRandom().address };
    const order = name === "X" ? await shop.create(elsewhere) : orders.get(name)?.order;
    return toReferenceSuffix(toReference(order?.id ?? ""));
  }

  async function addGas() {
    const held = await callNode(chainRpcUrl, "eth_getBalance", [recipientAddress, "latest"]);
    const rich = `0x${(BigInt(held as string) + GAS).toString(16)}`;
    await callNode(chainRpcUrl, "anvil_setBalance", [recipientAddress, rich]);
  }

  async function refund(name: string, amount: string, surplus: boolean) {
    const destinationAddress = getWallet(stage, "w1");
    const wanted = { paymentId: getOrder(name).id, amount: toCoins(amount), destinationAddress };
    const { id } = await must(
      secret("POST", "/v1/refunds", { ...wanted, ...(surplus && { surplus }) }),
      201,
    );
    await addGas();
    const raw = await recipient.signTransaction({
      chainId: product.credentials.chainId,
      nonce: refunds++,
      to: destinationAddress,
      value: toBase(amount),
      gasPrice: BigInt(FAST),
      gasLimit: 21_000n,
    });
    const txHash = (await callNode(chainRpcUrl, "eth_sendRawTransaction", [raw])) as string;
    sent.push(txHash);
    await must(secret("POST", `/v1/refunds/${id}/transaction`, { txHash }), 200);
    await until(
      async () => (await secret("GET", `/v1/refunds/${id}`)).body.status === "completed",
      { what: `${title}: the refund` },
    );
  }

  async function reach(name: string, what: string) {
    if (what === "seen") return untilSeen(name);
    const path = `/v1/payments/${getOrder(name).id}?expand=receivedBySender,needs`;
    await until(
      async () => {
        const { status, receivedBySender, needs } = (await secret("GET", path)).body;
        if (what === "sign") return needs === "payer_signature";
        return status === what || sumAmounts(receivedBySender) === what;
      },
      { what: `${title}: ${name} as ${what}`, timeoutMs: 30_000 },
    );
  }

  /** Its transaction has no block yet. */
  async function untilSeen(name: string) {
    const path = `/v1/payments/${getOrder(name).id}/explain`;
    await until(
      async () => (await secret("GET", path)).body.nextStep.text.startsWith("Wait for a block"),
      {
        what: `${title}: the transaction of ${name}`,
      },
    );
  }

  const kinds: Step[] = [
    [
      /^([A-Z])=([\d.]+)(e?)$/,
      async (name, amount, isShort) => {
        const expiresInMinutes = isShort ? 5 : 60;
        const terms = { amount: toCoins(amount), recipientAddress, expiresInMinutes };
        orders.set(name, { order: await shop.create(terms), amount });
      },
    ],
    [
      /^(w\d)>([\d.]+)(?:x(\d+))?(?:#(\w+))?$/,
      async (name, amount, times = "1", named = "") => {
        const value = `0x${toBase(amount).toString(16)}`;
        const suffixes = await Promise.all([...named].map(nameOrder));
        const transfer = { to: recipientAddress, value, data: `0x${suffixes.join("")}` };
        const from = getWallet(stage, name);
        for (let nth = 0; nth < Number(times); nth++) {
          sent.push(await sendFrom(chainRpcUrl, { from, ...transfer }));
        }
      },
    ],
    [
      /^(w\d)>([\d.]+)([pr])$/,
      async (name, amount, how) => {
        const from = getWallet(stage, name);
        const next = Number(
          await callNode(chainRpcUrl, "eth_getTransactionCount", [from, "latest"]),
        );
        const value = `0x${toBase(amount).toString(16)}`;
        const toShop = { from, to: amount === "0" ? from : recipientAddress, value };
        // One with this nonce has to wait for the one before it.
        const nonce = `0x${(next + 1).toString(16)}`;
        const gasPrice = how === "p" ? SLOW : FAST;
        sent.push(
          (await callNode(chainRpcUrl, "eth_sendTransaction", [
            { ...toShop, nonce, gasPrice },
          ])) as string,
        );
        if (how === "r") await sendFrom(chainRpcUrl, { from, to: from });
      },
    ],
    [
      /^\^(\d)$/,
      async (nth) => {
        raws = await Promise.all(
          sent.map((hash) => callNode(chainRpcUrl, "eth_getRawTransactionByHash", [hash])),
        );
        await reorganise(chainRpcUrl, sent[Number(nth) - 1] ?? "");
        // The node's clock went back with its blocks.
        await callNode(chainRpcUrl, "evm_setNextBlockTimestamp", [Math.ceil(Date.now() / 1_000)]);
        await callNode(chainRpcUrl, "anvil_mine", ["0x1"]);
        if (refunds > 0) await addGas();
      },
    ],
    [/^\+(\d)$/, (nth) => callNode(chainRpcUrl, "eth_sendRawTransaction", [raws[Number(nth) - 1]])],
    [
      /^(c1)>([\d.]+)$/,
      async (name, amount) => {
        const value = `0x${toBase(amount).toString(16)}`;
        const data = `0x${recipientAddress.slice(2).toLowerCase().padStart(64, "0")}`;
        const [from, to] = [getWallet(stage, "w1"), getWallet(stage, name)];
        sent.push(await sendFrom(chainRpcUrl, { from, to, value, data }));
      },
    ],
    [
      /^([A-Z])([:/])(\d)$/,
      async (name, how, nth) => {
        const { id, clientSecret } = getOrder(name);
        const body = { clientSecret, txHash: sent[Number(nth) - 1] };
        await must(
          publishable("POST", `/v1/payments/${id}/confirm`, body),
          how === ":" ? 200 : 409,
        );
      },
    ],
    [
      /^([A-Z])!(\d)$/,
      async (name, nth) => {
        const body = { txHash: sent[Number(nth) - 1], attribute: true };
        const path = `/v1/payments/${getOrder(name).id}/transaction`;
        await must(secret("POST", path, body), 200);
      },
    ],
    [
      /^([A-Z])~(w\d)$/,
      async (name, signer) => {
        const { id, clientSecret } = getOrder(name);
        const payerAddress = getWallet(stage, signer);
        const text = `0x${Buffer.from(id).toString("hex")}`;
        const signature = await callNode(chainRpcUrl, "personal_sign", [text, payerAddress]);
        const body = { clientSecret, payerAddress, signature };
        await must(publishable("POST", `/v1/payments/${id}/payer`, body), 200);
      },
    ],
    [/^([A-Z])-$/, (name) => must(secret("POST", `/v1/payments/${getOrder(name).id}/cancel`), 200)],
    [
      /^([A-Z])\+$/,
      (name) => {
        const path = `/v1/payments/${getOrder(name).id}/resolve`;
        return must(secret("POST", path, { action: "accept" }), 200);
      },
    ],
    [/^([A-Z])-([\d.]+)(s?)$/, (name, amount, isSurplus) => refund(name, amount, isSurplus !== "")],
    [/^([A-Z])\?([a-z\d.]+)$/, reach],
    [
      /^\.\.\.$/,
      async () => {
        const after = Date.now() + BLOCK_MS;
        await until(() => Date.now() > after, { what: "the time of a block" });
      },
    ],
    [/^\/\/$/, () => stage.passTime()],
  ];

  const soon = steps.slice(0, steps.includes("//") ? steps.indexOf("//") : steps.length);
  const calmAfter = soon.findLastIndex((step) => /^[+^]/.test(step));
  for (const [at, step] of steps.entries()) {
    const [pattern, act] = kinds.find(([one]) => one.test(step)) ?? [];
    if (pattern === undefined || act === undefined) throw new Error(`${title}: what is ${step}?`);
    await act(...(pattern.exec(step)?.slice(1) ?? []));
    if (at === calmAfter) onCalm();
  }
  if (!steps.includes("//")) void stage.passTime();
  return orders;
}
