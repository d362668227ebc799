// The payments of a run, and what becomes of each on a chain that is left alone.

import { transferData } from "@pay/embedded";
import type { Bus, BusRecord } from "@pay/events";
import { type Random, type TestChain, until } from "@pay/testing";
import { newId } from "@pay/values";
import { Transaction } from "ethers";
import type { Pool } from "pg";
import { createPublisher, type Opened } from "../publisher.ts";
import { findNewest, type Said } from "./outcome.ts";

/** found: its hash is not submitted. dust: beside more than it is due. */
type Plan =
  | "found token"
  | "found native"
  | "submitted"
  | "wrong recipient"
  | "too little"
  | "dust";

const PLANS: readonly Plan[] = [
  "found token",
  "found token",
  "found native",
  "found native",
  "submitted",
  "submitted",
  "wrong recipient",
  "too little",
  "dust",
];

export interface Planned {
  id: string;
  plan: Plan;
  recipient: string;
  amount: bigint;
  from: string;
  /** Only known once its transaction is sent. */
  txHash?: string;
  /** A reorganisation dropped its transaction, and its sender sent another one in its place, which pays nothing. */
  isGone?: boolean;
}

export interface Sent {
  txHash: string;
  raw: string;
}

/** What a run publishes; a broker keeps it. */
export interface Broker {
  log: BusRecord[];
  /** Not handed to any process yet. */
  waiting: BusRecord[];
}

/** What is proven without the end of the chain, by a service that sees all of it. */
export function expectProven({ plan, amount, isGone }: Planned): bigint {
  if (plan === "dust" || plan === "wrong recipient" || isGone) return 0n;
  return plan === "too little" ? amount - 1n : amount;
}

/** Whether its newest message says what it has to say in the end. */
export function isTold(one: Planned, said: readonly Said[]): boolean {
  if (one.plan === "dust" || one.isGone) return true;
  const money = findNewest(said, one.id);
  const isJudged = !isSubmitted(one) || money?.hashes[0]?.outcome !== undefined;
  return money?.finalBaseAmount === `${expectProven(one)}` && isJudged;
}

export function listGone(payments: readonly Planned[]): string[] {
  return payments.filter(({ isGone }) => isGone).map(({ id }) => id);
}

export function isSubmitted({ plan }: Planned): boolean {
  return plan === "submitted" || plan === "wrong recipient" || plan === "too little";
}

export function planPayments(count: number, chain: TestChain, random: Random): Planned[] {
  return Array.from({ length: count }, (_, nth) => ({
    id: newId("pay"),
    plan: PLANS[nth % PLANS.length] as Plan,
    recipient: `0x${`${nth + 1}`.padStart(40, "b")}`,
    amount: BigInt(1_000 + random.below(1_000_000)),
    from: chain.accounts[1 + (nth % 4)] ?? "",
  }));
}

const ELSEWHERE = `0x${"9".repeat(40)}`;
const AGO_MS = 600_000;
const LIFE_MS = 6 * 3_600_000;

/** All of it at once, into the broker. */
export function publisher(chain: TestChain, broker: Broker) {
  const bus: Pick<Bus, "publish"> = {
    publish: async (records) => {
      broker.log.push(...records);
      broker.waiting.push(...records);
    },
  };
  const created = new Date(Date.now() - AGO_MS);
  function base({ id, plan, recipient, amount }: Planned): Opened {
    return {
      id,
      recipientAddress: recipient,
      baseAmount: `${amount}`,
      created,
      expires: new Date(created.getTime() + LIFE_MS),
      currency: plan === "found native" ? "native" : chain.token.address,
    };
  }

  const payments = createPublisher(bus, chain);
  return {
    listOpen: payments.listOpen,
    created: (one: Planned) => payments.publish({ type: "payment.created", ...base(one) }),
    submitted: (one: Planned) => {
      const { txHash = "" } = one;
      const type = "payment.processing" as const;
      return payments.publish({ ...base(one), type, version: 2, hashes: [{ txHash }] });
    },
    confirmed: (one: Planned) => {
      const change = { type: "payment.confirmed", version: 9, status: "confirmed" } as const;
      return payments.publish({ ...base(one), ...change });
    },
  };
}

/** Nothing is mined yet. */
export async function sendTransactions(chain: TestChain, one: Planned): Promise<Sent[]> {
  const { plan, recipient, amount, from } = one;
  const to = plan === "wrong recipient" ? ELSEWHERE : recipient;
  if (plan === "dust") {
    const sent: Sent[] = [];
    for (const value of [1n, 2n * amount, 1n])
      sent.push(await payToken(chain, { from, to, value }));
    return sent;
  }
  const value = plan === "too little" ? amount - 1n : amount;
  const paid =
    plan === "found native"
      ? await toSent(chain, await chain.submit({ from, to, value, gas: 21_000n }))
      : await payToken(chain, { from, to, value });
  one.txHash = paid.txHash;
  return [paid];
}

async function payToken(
  chain: TestChain,
  { from, to, value }: { from: string; to: string; value: bigint },
): Promise<Sent> {
  const data = transferData(to, value);
  return toSent(chain, await chain.submit({ from, to: chain.token.address, data }));
}

async function toSent(chain: TestChain, txHash: string): Promise<Sent> {
  return { txHash, raw: await fetchRaw(chain, txHash) };
}

async function fetchRaw(chain: TestChain, txHash: string): Promise<string> {
  return (await chain.call("eth_getRawTransactionByHash", [txHash])) as string;
}

/** In the place of the transaction of a payment that a reorganisation dropped, where there is one. */
export async function replaceDropped(
  chain: TestChain,
  { payments, sent }: { payments: readonly Planned[]; sent: Sent[] },
): Promise<void> {
  for (const [at, { txHash, raw }] of sent.entries()) {
    const one = payments.find((payment) => payment.txHash === txHash);
    if (one === undefined || expectProven(one) !== one.amount) continue;
    if ((await chain.call("eth_getTransactionByHash", [txHash])) !== null) continue;
    const { nonce } = Transaction.from(raw);
    const question = {
      from: one.from,
      to: one.from,
      value: "0x0",
      nonce: `0x${nonce.toString(16)}`,
    };
    const replacing = (await chain.call("eth_sendTransaction", [question])) as string;
    sent[at] = { txHash: replacing, raw: await fetchRaw(chain, replacing) };
    one.isGone = true;
    return;
  }
}

/** Gives what a reorganisation dropped to the node again, in the order of the nonces. */
export async function resend(chain: TestChain, sent: readonly Sent[]): Promise<void> {
  for (const { raw, txHash } of sent) {
    const known = await chain.call("eth_getTransactionByHash", [txHash]);
    if (known === null) await chain.call("eth_sendRawTransaction", [raw]);
  }
}

export async function areMined(chain: TestChain, sent: readonly Sent[]): Promise<boolean> {
  for (const { txHash } of sent) if ((await chain.receipt(txHash)) === null) return false;
  return true;
}

export function isTakenIn(pool: Pool, { id, txHash }: Planned) {
  const taken = "select from submissions where subject_id = $1 and tx_hash = $2";
  return until(async () => (await pool.query(taken, [id, txHash])).rowCount === 1, {
    what: `the submitted hash of ${id}`,
  });
}
