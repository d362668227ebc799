// A shopper for the local product: pays a payment from the test wallet and submits the hash.
//   npm run shopper -- pay <paymentId> [--amount DECIMAL]
import { join } from "node:path";
import { parseArgs } from "node:util";
import { callNode, sendFrom, transferData } from "@pay/embedded";
import { toBaseUnits } from "@pay/values";
import { readJson } from "./data-folder.ts";
import type { Credentials } from "./demo-project.ts";

const USAGE = "usage: npm run shopper -- pay <paymentId> [--amount DECIMAL]";
const REQUEST_TIMEOUT_MS = 10_000;

interface Payable {
  id: string;
  status: string;
  amount: string;
  currency: string;
  chainId: number;
  recipientAddress: string;
}

interface Token {
  address: string;
  decimals: number;
  symbol: string;
}

async function main(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { amount: { type: "string" } },
  });
  const [verb, paymentId] = positionals;
  if (verb !== "pay" || paymentId === undefined) throw new Error(USAGE);
  const credentials = readCredentials();
  const payment = await call<Payable>(
    credentials,
    "GET",
    `/v1/payments/${paymentId}?expand=recipientAddress`,
  );
  const token = await tokenOf(credentials, payment);
  const amount = values.amount ?? payment.amount;
  const base = toBaseUnits(amount, token?.decimals ?? 18);
  if (base === undefined) throw new Error(`${amount} is no amount of this currency`);

  const [wallet] = (await callNode(credentials.chainRpcUrl, "eth_accounts")) as string[];
  if (wallet === undefined) throw new Error("the chain has no unlocked test wallet");
  const txHash = await sendFrom(
    credentials.chainRpcUrl,
    token === undefined
      ? { from: wallet, to: payment.recipientAddress, value: `0x${base.toString(16)}` }
      : { from: wallet, to: token.address, data: transferData(payment.recipientAddress, base) },
  );
  console.log(`sent ${amount} ${token?.symbol ?? "native coin"} in ${txHash}`);
  const path = `/v1/payments/${payment.id}/transaction`;
  const taken = await call<Payable>(credentials, "POST", path, { txHash, payerAddress: wallet });
  console.log(`payment ${taken.id} is ${taken.status}`);
}

function readCredentials(): Credentials {
  const file = join(process.env.DATA_DIR || ".data", "credentials.json");
  const credentials = readJson<Credentials>(file);
  if (credentials === undefined) throw new Error(`${file} is missing: is the product running?`);
  return credentials;
}

async function tokenOf(credentials: Credentials, payment: Payable): Promise<Token | undefined> {
  if (payment.currency === "native") return undefined;
  const tokens = await call<Token[]>(credentials, "GET", `/v1/chains/${payment.chainId}/tokens`);
  const wanted = payment.currency.toLowerCase();
  const found = tokens.find(({ address }) => address.toLowerCase() === wanted);
  if (found === undefined) throw new Error(`chain ${payment.chainId} lists no token ${wanted}`);
  return found;
}

async function call<T>(
  { baseUrl, secretKey, publishableKey }: Credentials,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      "X-Secret-Key": secretKey,
      "X-Publishable-Key": publishableKey,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const answer = (await response.json()) as T & { message?: string };
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.message}`);
  return answer;
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(`shopper: ${error.message}`);
  process.exitCode = 1;
});
