// What expand adds to payments, alone and in a list: each name in decisions and reference, its exact fields, and
// no field that was not requested.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { checksumAddress } from "@pay/values";
import { refusal } from "./ask.ts";
import { expectFields, FIELDS, ISO_TIME } from "./documented.ts";
import { type askWith, RECIPIENT } from "./product.ts";

export interface Expansions {
  secret: ReturnType<typeof askWith>;
  /** A payment of so many cents that the chain has confirmed. */
  paid(more: object, cents: bigint): Promise<{ id: string; txHash: string; payer: string }>;
}

const NAMES = [
  "customer",
  "refunds",
  "transfers",
  "attribution",
  "timeline",
  "checkoutUrl",
] as const;
const ALL = `expand=${NAMES.join(",")}`;

/** The product runs by the time a test asks for it. */
export function describeExpansions(expansions: () => Expansions): void {
  describe("expanded payments", () => {
    const secret: Expansions["secret"] = (...asked) => expansions().secret(...asked);
    let made: Awaited<ReturnType<Expansions["paid"]>>;
    let customer: string;
    let refund: string;
    beforeAll(async () => {
      const { body } = await secret("POST", "/v1/customers", { walletAddress: RECIPIENT });
      customer = body.id;
      made = await expansions().paid({ customerId: customer }, 45n);
      const refunded = { paymentId: made.id, amount: "0.05" };
      refund = (await secret("POST", "/v1/refunds", refunded)).body.id;
    });

    async function read(query: string) {
      return (await secret("GET", `/v1/payments/${made.id}?${query}`)).body;
    }

    async function listed(query: string) {
      return (await secret("GET", `/v1/payments?customerId=${customer}&${query}`)).body;
    }

    test("each of them is present when it is requested, and only then", async () => {
      const plain = await read("");
      for (const name of NAMES) {
        expectFields(await read(`expand=${name}`), [...Object.keys(plain), name]);
      }
    });

    test("customer and refunds are as their own routes answer them", async () => {
      const { customer: person, refunds } = await read(ALL);
      expectFields(person, FIELDS.readCustomer);
      expect(person).toEqual((await secret("GET", `/v1/customers/${customer}`)).body);
      expect(refunds).toEqual([(await secret("GET", `/v1/refunds/${refund}`)).body]);
      expectFields(refunds[0], FIELDS.readRefund);
    });

    test("transfers are those of the chain", async () => {
      const { transfers } = await read(ALL);
      expect(transfers).toHaveLength(1);
      expectFields(transfers[0], FIELDS.transfer);
      expect(transfers[0]).toEqual({
        txHash: made.txHash,
        logIndex: null,
        amount: "0.45",
        from: checksumAddress(made.payer),
        to: RECIPIENT,
        blockNumber: expect.any(Number),
        minedAt: expect.stringMatching(ISO_TIME),
        confirmedAt: expect.stringMatching(ISO_TIME),
      });
    });

    test("attribution names the rule of each transfer", async () => {
      const { attribution } = await read(ALL);
      expect(attribution).toHaveLength(1);
      expectFields(attribution[0], FIELDS.attribution);
      expect(attribution[0]).toMatchObject({ txHash: made.txHash, amount: "0.45" });
      expect(await read("expand=receivedBySender,refundedAmount")).toMatchObject({
        receivedBySender: [{ address: checksumAddress(made.payer), amount: "0.45" }],
        refundedAmount: null,
      });
    });

    test("timeline lists every change, oldest first", async () => {
      const { timeline, createdAt, confirmedAt } = await read(ALL);
      for (const step of timeline) expectFields(step, FIELDS.step);
      const { txHash } = made;
      const time = expect.stringMatching(ISO_TIME);
      const { requestedBy } = await read("expand=requestedBy");
      expect(requestedBy).toMatch(/^key_\w{24}$/);
      const { body: refunded } = await secret("GET", `/v1/refunds/${refund}?expand=requestedBy`);
      expect(refunded.requestedBy).toBe(requestedBy);
      expect(timeline).toEqual(
        [
          { event: "created", status: "created", at: createdAt, txHash: null },
          { event: "transaction_submitted", status: "processing", at: time, txHash },
          { event: "confirmed", status: "confirmed", at: confirmedAt, txHash, madeBy: null },
        ].map((step) => ({ madeBy: requestedBy, ...step, reason: null })),
      );
    });

    test("the explanation shows its transaction, and every rule with the evidence", async () => {
      const { status, body } = await secret("GET", `/v1/payments/${made.id}/explain`);
      expect(status).toBe(200);
      expectFields(body, FIELDS.explanation);
      expect(body).toMatchObject({
        id: made.id,
        status: "confirmed",
        nextStep: { action: "none" },
      });
      const [transaction, ...others] = body.transactions;
      expect(others).toEqual([]);
      expectFields(transaction, FIELDS.examined);
      expect(transaction).toMatchObject({ txHash: made.txHash, source: "merchant" });
      for (const { outcome, text } of transaction.rules) {
        expect([outcome, text]).toEqual(["passed", expect.stringMatching(/\.$/)]);
      }
      const [transfer] = transaction.transfers;
      expectFields(transfer, [...FIELDS.transfer, "blockHash", "state", "pays", "rule", "reason"]);
      expect(transfer).toMatchObject({ amount: "0.45", pays: "this" });
    });

    test("a list shows the same of each", async () => {
      const { data } = await listed(ALL);
      expect(data).toHaveLength(1);
      const { body: alone } = await secret("GET", `/v1/payments/${made.id}?${ALL}`);
      for (const name of NAMES) expect(data[0][name]).toEqual(alone[name]);
      const [plain] = (await listed("")).data;
      expectFields(data[0], [...Object.keys(plain), ...NAMES]);
    });

    test("an unknown name is refused, also in a list", async () => {
      for (const path of [`/v1/payments/${made.id}`, "/v1/payments"]) {
        const { status, body } = await secret("GET", `${path}?expand=timeline,secrets`);
        const message = expect.stringMatching(/^expand must be/);
        expect([status, body]).toEqual([400, refusal(400, "Bad Request", message)]);
      }
    });
  });
}
