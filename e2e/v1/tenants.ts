// Two merchants with everything a merchant can have: both modes, every kind of key, records of each sort, shoppers
// with sessions. Who may touch what is asked of them in isolation.test.ts.
import { until } from "@pay/testing";
import { openWallet } from "../harness/wallet.ts";
import type { Answer } from "./ask.ts";
import type { Issuer } from "./issuer.ts";
import { askWith, COIN_UNIT, orderOn, PAYER, type Product, RECIPIENT } from "./product.ts";

type Mode = "live" | "test";

/** One project in one mode: its keys and what it has. */
export interface Side {
  mode: Mode;
  projectId: string;
  chainId: number;
  secret: string;
  publishable: string;
  /** Records by the prefix of their id; the payment is confirmed and was paid by the shopper. */
  ids: Record<"pay" | "cust" | "refund" | "key", string>;
  /** Of the shopper; live and test have sessions of their own. */
  session: string;
  as: ReturnType<typeof askWith>;
  /** A fresh one of the project's issuer. */
  ssoToken(): Promise<string>;
}

export interface Tenant {
  live: Side;
  test: Side;
  /** A session of the live mode that ended when the project changed whom it trusts. */
  endedSession: string;
  /** Another live key of this project: made, and then perhaps rolled or revoked. */
  makeKey(wanted: object): Promise<{ id: string; key: string }>;
}

const must = ({ status, body }: Answer, expected: number) => {
  if (status !== expected) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

const SHOPPER = { subject: "shopper", wallet: PAYER };

export const openTenant = async (
  product: Product,
  /** Without one nobody vouches for the shoppers, and there are no sessions. */
  issuer: Issuer | undefined,
  { name, hundredths }: { name: string; hundredths: bigint },
): Promise<Tenant> => {
  const project = await product.createProject(name);
  const as = askWith(product.ask, project.secretKey);
  const endedSession = issuer ? await openAndEndSession(as, issuer) : "";
  const makeKey = async (wanted: object) =>
    must(await as("POST", "/v1/projects/me/keys", { mode: "live", ...wanted }), 201);
  const testKey = async (type: string) => (await makeKey({ type, mode: "test" })).key as string;
  const { projectId, secretKey, publishableKey } = project;
  const open = (mode: Mode, secret: string, publishable: string, amount: bigint) =>
    openSide(product, issuer, { mode, secret, publishable, projectId, amount });
  const [live, test] = await Promise.all([
    open("live", secretKey, publishableKey, hundredths),
    open("test", await testKey("secret"), await testKey("publishable"), hundredths + 1n),
  ]);
  return { live, test, endedSession, makeKey };
};

/** A session is over when its project changes whom it trusts. */
const openAndEndSession = async (as: Side["as"], issuer: Issuer): Promise<string> => {
  const trust = async (change: object = {}) =>
    must(await as("PUT", "/v1/projects/me", { sso: { ...issuer.settings, ...change } }), 200);
  await trust();
  const token = await issuer.token(SHOPPER);
  const { sessionToken } = must(await as("POST", "/v1/auth/sso", { token }), 200);
  await trust({ audience: "another" });
  await trust();
  return sessionToken;
};

const openSide = async (
  product: Product,
  issuer: Issuer | undefined,
  own: Pick<Side, "mode" | "secret" | "publishable" | "projectId"> & { amount: bigint },
): Promise<Side> => {
  const { chainId } = product.credentials;
  const as = askWith(product.ask, own.secret);
  let exchanges = 0;
  // Each of another subject: only so many sessions of one live at a time.
  const ssoToken = async () =>
    issuer?.token({ ...SHOPPER, subject: `shopper-${++exchanges}` }) ?? "no token";
  const wallet = await openWallet(product.credentials);

  const order = { ...orderOn(chainId), amount: `0.${own.amount}` };
  const payment = must(await as("POST", "/v1/payments", order), 201);
  const txHash = await wallet.payNative(RECIPIENT, (own.amount * COIN_UNIT) / 100n);
  must(await as("POST", `/v1/payments/${payment.id}/transaction`, { txHash }), 200);
  const key = { type: "publishable", mode: own.mode };
  const customer = { walletAddress: PAYER, email: "zoe@shop.example", displayName: "Zoë" };
  const ids = {
    pay: payment.id,
    cust: must(await as("POST", "/v1/customers", customer), 201).id,
    key: must(await as("POST", "/v1/projects/me/keys", key), 201).id,
  };
  const exchange = async () =>
    must(await as("POST", "/v1/auth/sso", { token: await ssoToken() }), 200).sessionToken;
  const session = issuer ? await exchange() : "";
  await until(
    async () => must(await as("GET", `/v1/payments/${ids.pay}`), 200).status === "confirmed",
    { timeoutMs: 30_000, what: "the confirmed payment" },
  );
  const asked = { paymentId: ids.pay, amount: "0.01" };
  const refund = must(await as("POST", "/v1/refunds", asked), 201).id;
  return { ...own, chainId, as, ssoToken, ids: { ...ids, refund }, session };
};
