// A shopper for the local product: pays a payment from the test wallet. `pay` also submits the hash, `send` prints it,
// for those who submit it themselves or want to see it found. With the response of the creation as a file, the wallet
// first signs the payment's id, because its transfer may fit several open payments.
//   npm run shopper -- pay|send <paymentId or file> [--amount DECIMAL]
import { join } from "node:path";
import { parseArgs } from "node:util";
import { callNode, sendFrom, transferData } from "@pay/embedded";
import { isId, toBaseUnits } from "@pay/values";
import { callProduct, Refused } from "./call-product.ts";
import { readJson } from "./data-folder.ts";
import type { DemoCredentials } from "./demo-project.ts";

const USAGE = "usage: npm run shopper -- pay|send <paymentId or file> [--amount DECIMAL]";

interface Payable {
  id: string;
  status: string;
  amount: string;
  currency: string;
  chainId: number;
  payTo: string;
}

/** Of the response of a creation. */
interface Created {
  id: string;
  clientSecret?: string;
}

interface Token {
  address: string;
  decimals: number;
  symbol: string;
}

type Keys = Pick<DemoCredentials, "baseUrl" | "secretKey" | "publishableKey">;

async function main(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { amount: { type: "string" } },
  });
  const [verb, named] = positionals;
  if ((verb !== "pay" && verb !== "send") || named === undefined) throw new Error(USAGE);
  const { id, clientSecret } = readPayment(named);
  const credentials = readCredentials();
  const { keys, payment } = await findPayment(credentials, id);
  const token = await getToken(keys, payment);
  const amount = values.amount ?? payment.amount;
  const base = toBaseUnits(amount, token?.decimals ?? 18);
  if (base === undefined) throw new Error(`${amount} is no amount of this currency`);

  const [wallet] = (await callNode(credentials.chainRpcUrl, "eth_accounts")) as string[];
  if (wallet === undefined) throw new Error("the chain has no unlocked test wallet");
  if (clientSecret !== undefined && OPEN.has(payment.status)) {
    const text = `0x${Buffer.from(id).toString("hex")}`;
    const signature = await callNode(credentials.chainRpcUrl, "personal_sign", [text, wallet]);
    const body = { clientSecret, payerAddress: wallet, signature };
    await callProduct(keys, { method: "POST", path: `/v1/payments/${id}/payer`, body });
  }
  const txHash = await sendFrom(
    credentials.chainRpcUrl,
    token === undefined
      ? { from: wallet, to: payment.payTo, value: `0x${base.toString(16)}` }
      : { from: wallet, to: token.address, data: transferData(payment.payTo, base) },
  );
  if (verb === "send") return console.log(txHash);
  console.log(`sent ${amount} ${token?.symbol ?? "native coin"} in ${txHash}`);
  const path = `/v1/payments/${payment.id}/transaction`;
  const taken = await callProduct<Payable>(keys, { method: "POST", path, body: { txHash } });
  console.log(`payment ${taken.id} is ${taken.status}`);
}

const OPEN: ReadonlySet<string> = new Set(["created", "pending"]);

function readPayment(named: string): Created {
  if (isId("pay", named)) return { id: named };
  const created = readJson<Created>(named);
  if (created === undefined) throw new Error(`${named} is neither a payment's id nor a file`);
  return created;
}

function readCredentials(): DemoCredentials {
  const file = join(process.env.DATA_DIR || ".data", "credentials.json");
  const credentials = readJson<DemoCredentials>(file);
  if (credentials === undefined) throw new Error(`${file} is missing: is the product running?`);
  return credentials;
}

/** The payment, with the keys of the mode in which it was made. */
async function findPayment(credentials: DemoCredentials, id: string) {
  const { baseUrl, testSecretKey: secretKey, testPublishableKey: publishableKey } = credentials;
  const path = `/v1/payments/${id}?expand=payTo`;
  const test = secretKey && publishableKey && { baseUrl, secretKey, publishableKey };
  for (const keys of test ? [test] : []) {
    try {
      return { keys, payment: await callProduct<Payable>(keys, { method: "GET", path }) };
    } catch (error) {
      if (!(error instanceof Refused && error.status === 404)) throw error;
    }
  }
  const payment = await callProduct<Payable>(credentials, { method: "GET", path });
  return { keys: credentials, payment };
}

async function getToken(keys: Keys, payment: Payable): Promise<Token | undefined> {
  if (payment.currency === "native") return undefined;
  const path = `/v1/chains/${payment.chainId}/tokens`;
  const tokens = await callProduct<Token[]>(keys, { method: "GET", path });
  const wanted = payment.currency.toLowerCase();
  const found = tokens.find(({ address }) => address.toLowerCase() === wanted);
  if (found === undefined) throw new Error(`chain ${payment.chainId} lists no token ${wanted}`);
  return found;
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(`shopper: ${error.message}`);
  process.exitCode = 1;
});
