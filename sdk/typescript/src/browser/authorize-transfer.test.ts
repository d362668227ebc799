// What becomes of a payment whose gas the service pays, by the answers of the wallet and of the service.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { requestTransfer } from "./request-transfer.ts";
import { connectServer, type Status } from "./server.ts";

const PAYER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const SIGNATURE = `0x${"1b".repeat(65)}`;
const typedData = { primaryType: "TransferWithAuthorization", message: { value: "5" } };
const MESSAGE = { from: PAYER, value: "5" };
const STATUS = {
  status: "created",
  currency: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
  chainId: 1,
  dueBaseAmount: "5",
  transaction: { to: "0x5fbdb2315678afecb367f032d93f642f64180aa3", value: "0x0", data: "0x" },
  authorization: { state: null, txHash: null, typedData },
} as unknown as Status;

/** Undefined: the connection is lost before the answer. */
type Answer = { status: number; code?: string } | undefined;

let answers: Answer[] = [];
let taken: unknown[] = [];
const service = createServer(async (request, response) => {
  const body = JSON.parse((await request.toArray()).join(""));
  if (!request.url?.endsWith("/authorize")) return response.end("{}");
  taken.push(body);
  const answer = answers.shift();
  if (answer === undefined) return request.socket.destroy();
  if (answer.code !== undefined) response.setHeader("X-Error-Code", answer.code);
  return response.writeHead(answer.status).end("{}");
});
beforeAll(() => once(service.listen(0, "127.0.0.1"), "listening"));
beforeEach(() => {
  answers = [];
  taken = [];
});
afterAll(() => {
  service.close();
  service.closeAllConnections();
});

/** By a wallet that holds the token, and no coin for a fee. */
async function pay(sign: () => unknown, status = STATUS) {
  const { port } = service.address() as AddressInfo;
  const access = { id: "pay_1", clientSecret: "cs_1", baseUrl: `http://127.0.0.1:${port}` };
  const asked: unknown[] = [];
  const wallet: Record<string, () => unknown> = {
    eth_requestAccounts: () => [PAYER],
    eth_chainId: () => "0x1",
    eth_getBalance: () => "0x0",
    eth_call: () => "0x5",
    eth_signTypedData_v4: sign,
  };
  const provider = {
    request: async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
      if (method === "eth_signTypedData_v4") asked.push(params);
      return wallet[method]?.();
    },
  };
  const end = await requestTransfer(provider, {
    status,
    server: connectServer(access),
    signal: new AbortController().signal,
    onStep: () => {},
  });
  return { end, asked };
}

test.each<[Answer, object]>([
  [{ status: 200 }, { kind: "authorized" }],
  [{ status: 409, code: "authorization_pending" }, { kind: "authorized" }],
  [{ status: 503, code: "sponsor_exhausted" }, { kind: "unsponsored" }],
  [{ status: 400, code: "authorization_invalid" }, { kind: "unsponsored" }],
  [{ status: 400, code: "authorization_unsupported" }, { kind: "unsponsored" }],
  [
    { status: 409, code: "payment_status_invalid" },
    { kind: "refused", code: "payment_status_invalid" },
  ],
])("the answer %j", async (answer, outcome) => {
  answers = [answer];
  const { end, asked } = await pay(() => SIGNATURE);
  expect(end).toEqual(outcome);
  const text = JSON.stringify({ ...typedData, message: MESSAGE });
  expect(asked).toEqual([[PAYER, text]]);
  expect(taken).toEqual([{ authorization: MESSAGE, signature: SIGNATURE }]);
});

test("is submitted again until there is an answer, because it may be spent", async () => {
  answers = [undefined, { status: 200 }];
  const { end, asked } = await pay(() => SIGNATURE);
  expect([end, asked.length]).toEqual([{ kind: "authorized" }, 1]);
  expect(taken).toHaveLength(2);
  expect(taken[1]).toEqual(taken[0]);
});

test.each([
  ["declines", 4001, "rejected"],
  ["cannot sign", 4200, "unsponsored"],
])("a wallet that %s", async (_, code, kind) => {
  const { end } = await pay(() => {
    throw Object.assign(new Error("no"), { code });
  });
  expect([end, taken]).toEqual([{ kind }, []]);
});

test.each(["received", "sent", "used"] as const)(
  "nothing is asked for once it is %s",
  async (state) => {
    const authorization = { state, txHash: null, typedData: state === "used" ? typedData : null };
    const { end, asked } = await pay(() => SIGNATURE, { ...STATUS, authorization });
    expect([end, asked]).toEqual([{ kind: "authorized" }, []]);
  },
);
