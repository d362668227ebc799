import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "@jest/globals";
import {
  type Customer,
  CustomerSchema,
  ListRefundsResponseSchema,
  type Step,
  StepSchema,
} from "@pay/proto";
import type { RowFrom } from "./columns.ts";
import { type Differences, type Listed, planMessages, rowToMessage } from "./message.ts";

interface CustomerRow {
  id: string;
  project_id: string;
  mode: number;
  wallet_address: string;
  email: string | null;
  display_name: string | null;
  metadata_json: string | null;
  created_at: Date;
  updated_at: Date;
  version: number;
}

const ROW: CustomerRow = {
  id: "cust_1",
  project_id: "prj_1",
  mode: 2,
  wallet_address: "0xAb",
  email: null,
  display_name: "",
  metadata_json: '{"a":1}',
  created_at: new Date("2026-01-02T03:04:05.678Z"),
  updated_at: new Date("2026-01-03T03:04:05.678Z"),
  version: 3,
};

test("every field is made from the column of its name, and a null column is an absent field", () => {
  const plan = planMessages<typeof CustomerSchema, CustomerRow>(CustomerSchema, {});
  const message = rowToMessage(plan, ROW);
  expect(message).toEqual({
    $typeName: "customers.v1.Customer",
    id: "cust_1",
    projectId: "prj_1",
    mode: 2,
    walletAddress: "0xAb",
    displayName: "",
    metadataJson: '{"a":1}',
    createdAt: timestampFromDate(ROW.created_at),
    updatedAt: timestampFromDate(ROW.updated_at),
    version: 3,
  });
  expect(Object.hasOwn(message, "email")).toBe(false);
  expect(fromBinary(CustomerSchema, toBinary(CustomerSchema, message))).toEqual(message);
});

test("a whole number of any length keeps its digits in a text field and in a field of 64 bits", () => {
  const row = { total: 2n ** 62n, next_after: 10n ** 40n };
  const plan = planMessages<typeof ListRefundsResponseSchema, typeof row>(
    ListRefundsResponseSchema,
    { refunds: "unstored" },
  );
  expect(rowToMessage(plan, row)).toMatchObject({
    refunds: [],
    total: 2n ** 62n,
    nextAfter: `1${"0".repeat(40)}`,
  });
});

/** True where two types are the same; another value does not compile then. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

interface StepRow {
  event: string;
  status: string;
  happened_at: Date;
  made_by: string | null;
  reason: string | null;
  tx_hash: string | null;
}

test("what a message and its row do not share is listed, or it does not compile", () => {
  const plan = planMessages<typeof StepSchema, StepRow>(StepSchema, {
    at: "unstored",
    happened_at: "internal",
  });
  const row = { event: "failed", status: "failed", happened_at: new Date(), reason: "late" };
  const expected: Partial<Step> = { event: "failed", status: "failed", reason: "late" };
  expect(rowToMessage(plan, { ...row, made_by: null, tx_hash: null })).toMatchObject(expected);

  const holds: [
    Same<keyof Differences<Step, StepRow>, "at" | "happened_at">,
    Same<keyof Differences<Customer, CustomerRow>, never>,
    Same<keyof Differences<Customer, CustomerRow & { secret: string }>, "secret">,
    Same<keyof Differences<Customer, Omit<CustomerRow, "email">>, "email">,
  ] = [true, true, true, true];
  expect(holds).not.toContain(false);
});

test("a field that the row holds does not compile where it is listed, under either name", () => {
  const holds: [
    Same<Listed<Step, StepRow>["reason"], undefined>,
    Same<Listed<Step, StepRow>["txHash"], undefined>,
    Same<Listed<Step, StepRow>["tx_hash"], undefined>,
    Same<Listed<Step, StepRow>["happened_at"], "internal">,
  ] = [true, true, true, true];
  expect(holds).not.toContain(false);
});

test("a column whose values the field cannot take does not compile, listed or not", () => {
  type Text = Omit<CustomerRow, "version"> & { version: string };
  type Nullable = Omit<CustomerRow, "mode"> & { mode: number | null };
  const holds: [
    Same<Differences<Customer, Text>["version"], never>,
    Same<Differences<Customer, Nullable>["mode"], never>,
  ] = [true, true];
  expect(holds).not.toContain(false);
});

test("a row has bigints where the client's model has decimals, and the types that the service knows", () => {
  type Decimal = { d: number[]; e: number; s: number };
  type Row = RowFrom<
    { amount: Decimal; received: Decimal | null; status: string },
    { status: "open" }
  >;
  const holds: Same<Row, { amount: bigint; received: bigint | null; status: "open" }> = true;
  expect(holds).toBe(true);
});
