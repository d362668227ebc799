// Two merchants with everything a merchant can have: both modes, every kind of key, records of each sort, shoppers
// with sessions. isolation.test.ts checks who may read or change which records.
import { randomBytes } from "node:crypto";
import { until } from "@pay/testing";
import { openWallet } from "../harness/wallet.ts";
import type { Answer } from "./ask.ts";
import type { Issuer } from "./issuer.ts";
import {
  askWith,
  COIN_UNIT,
  ENDPOINT,
  orderOn,
  PAYER,
  type Product,
  RECIPIENT,
  settlementOn,
} from "./product.ts";

type Mode = "live" | "test";

/** One project in one mode: its keys and what it has. */
export interface Side {
  mode: Mode;
  projectId: string;
  chainId: number;
  secret: string;
  publishable: string;
  /** Records by the prefix of their id; the payment is confirmed and was paid by the shopper. */
  ids: Record<
    | "pay"
    | "cust"
    | "refund"
    | "stl"
    | "dst"
    | "key"
    | "we"
    | "del"
    | "evt"
    | "tr"
    | "aud"
    | "mem"
    | "log",
    string
  >;
  /** Of the shopper; live and test have sessions of their own. */
  session: string;
  as: ReturnType<typeof askWith>;
  /** The same with another secret key of this side, because a settlement needs two. */
  asOther: ReturnType<typeof askWith>;
  /** An address of the address book. */
  treasury: string;
  /** A fresh one of the project's issuer. */
  ssoToken(): Promise<string>;
}

export interface Tenant {
  live: Side;
  test: Side;
  /** A session of the live mode that ended when the project changed whom it trusts. */
  endedSession: string;
  /** Another live key of this project, which a test may roll or revoke. */
  makeKey(wanted: object): Promise<{ id: string; key: string }>;
}

export function must({ status, body }: Answer, expected: number) {
  if (status !== expected) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

/**
 * Makes a call again while the product refuses it for its rate, because one that waits in a loop can use up a limit, or
 * because the machine has too much to do.
 */
export function patiently(as: Side["as"]): Side["as"] {
  return (...call) =>
    until(
      async () => {
        const answer = await as(...call);
        return ![429, 503].includes(answer.status) && answer;
      },
      { what: "an answer that is not about the rate" },
    );
}

const SHOPPER = { subject: "shopper", wallet: PAYER };

export async function openTenant(
  product: Product,
  /** Without an issuer there are no sessions. */
  issuer: Issuer | undefined,
  { name, hundredths }: { name: string; hundredths: bigint },
): Promise<Tenant> {
  const project = await product.createProject(name);
  const as = askWith(product.ask, project.secretKey);
  const endedSession = issuer ? await openAndEndSession(as, issuer) : "";
  async function makeKey(wanted: object) {
    return must(await as("POST", "/v1/projects/me/keys", { mode: "live", ...wanted }), 201);
  }

  async function testKey(type: string) {
    return (await makeKey({ type, mode: "test" })).key as string;
  }

  const { projectId, secretKey, publishableKey } = project;
  function open(mode: Mode, secret: string, publishable: string, amount: bigint) {
    return openSide(product, issuer, { mode, secret, publishable, projectId, amount, makeKey });
  }

  const [live, test] = await Promise.all([
    open("live", secretKey, publishableKey, hundredths),
    open("test", await testKey("secret"), await testKey("publishable"), hundredths + 1n),
  ]);
  return { live, test, endedSession, makeKey };
}

/** A session is over when its project changes whom it trusts. */
async function openAndEndSession(as: Side["as"], issuer: Issuer): Promise<string> {
  async function trust(change: object = {}) {
    return must(
      await as("PUT", "/v1/projects/me", { sso: { ...issuer.settings, ...change } }),
      200,
    );
  }

  await trust();
  const token = await issuer.token(SHOPPER);
  const { sessionToken } = must(await as("POST", "/v1/auth/sso", { token }), 200);
  await trust({ audience: "another" });
  await trust();
  return sessionToken;
}

async function openSide(
  product: Product,
  issuer: Issuer | undefined,
  {
    makeKey,
    ...own
  }: Pick<Side, "mode" | "secret" | "publishable" | "projectId"> & {
    amount: bigint;
    makeKey: Tenant["makeKey"];
  },
): Promise<Side> {
  const { chainId } = product.credentials;
  const impatient = askWith(product.ask, own.secret);
  const as = patiently(impatient);
  let exchanges = 0;
  // Each session has another subject, because the number of sessions per subject is limited.
  async function ssoToken() {
    return issuer?.token({ ...SHOPPER, subject: `shopper-${++exchanges}` }) ?? "no token";
  }

  const wallet = await openWallet(product.credentials);

  const order = { ...orderOn(chainId), amount: `0.${own.amount}` };
  const payment = must(await as("POST", "/v1/payments", order), 201);
  const txHash = await wallet.payNative(RECIPIENT, (own.amount * COIN_UNIT) / 100n);
  const submitted = await as("POST", `/v1/payments/${payment.id}/transaction`, { txHash });
  // The product may have found the transfer, and confirmed the payment by it, before this request arrived.
  if (submitted.headers["x-error-code"] !== "payment_confirmed") must(submitted, 200);
  const key = { type: "publishable", mode: own.mode };
  const customer = { walletAddress: PAYER, email: "zoe@shop.example", displayName: "Zoë" };
  const ids = {
    pay: payment.id,
    cust: must(await as("POST", "/v1/customers", customer), 201).id,
    key: (await makeKey(key)).id,
    we: must(await as("POST", "/v1/webhook-endpoints", ENDPOINT), 201).id,
    mem: must(await as("POST", "/v1/members", { email: `${own.mode}@shop.example` }), 201).id,
  };
  async function exchange() {
    return must(await as("POST", "/v1/auth/sso", { token: await ssoToken() }), 200).sessionToken;
  }

  const session = issuer ? await exchange() : "";
  await until(
    async () => must(await as("GET", `/v1/payments/${ids.pay}`), 200).status === "confirmed",
    { what: "the confirmed payment" },
  );
  const asked = { paymentId: ids.pay, amount: "0.01" };
  const refund = must(await as("POST", "/v1/refunds", asked), 201).id;
  const { key: otherKey } = await makeKey({ type: "secret", mode: own.mode });
  const impatientOther = askWith(product.ask, otherKey);
  const asOther = patiently(impatientOther);
  const treasury = `0x${randomBytes(20).toString("hex")}`;
  const entry = { chainId, address: treasury, label: "Treasury" };
  // Who approves a settlement has not added its destination.
  const dst = must(await asOther("POST", "/v1/settlement-destinations", entry), 201).id;
  const settlement = { ...settlementOn(chainId), destinationAddress: treasury };
  // The wallet is credited shortly after the payment is confirmed.
  const stl = await until(
    async () =>
      (await asOther("POST", "/v1/settlements", settlement)).body.id as string | undefined,
    { what: "the credit of the wallet" },
  );
  const { deliveryId } = must(await as("POST", `/v1/webhook-endpoints/${ids.we}/ping`, {}), 200);
  const [event] = await until(
    async () => {
      const { data } = must(await as("GET", "/v1/events?limit=1"), 200);
      return data.length === 0 ? undefined : data;
    },
    { what: "the first event" },
  );
  const { data: arrived } = must(await as("GET", "/v1/transfers?unmatched=false&limit=100"), 200);
  const paying = arrived.find((one: { paymentId: string | null }) => one.paymentId === ids.pay);
  if (paying === undefined) throw new Error(`none pays ${ids.pay}: ${JSON.stringify(arrived)}`);
  const [{ id: aud }] = must(await as("GET", `/v1/audit?targetId=${stl}`), 200).data;
  const [{ id: log }] = must(await as("GET", "/v1/request-logs?limit=1"), 200).data;
  const all = { ...ids, refund, tr: paying.id, dst, stl, del: deliveryId, evt: event.id, aud, log };
  const calls = { as: impatient, asOther: impatientOther };
  return { ...own, ...calls, chainId, treasury, ssoToken, ids: all, session };
}
