import { expect, test } from "@jest/globals";
import { type Customer, newCustomer, type Replacement, replaceFields } from "./customer.ts";

const TENANT = { projectId: "proj_000000000000000000000000", mode: 1 };
const WALLET = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const EARLIER = new Date(0);
const LATER = new Date(1_000);

const NOTHING = { email: null, display_name: null, metadata_json: null };

function aCustomer(given: Partial<Replacement> = {}): Customer {
  const customer = newCustomer(TENANT, { wallet_address: WALLET, ...NOTHING, ...given }, EARLIER);
  if (customer === undefined) throw new Error("the wallet is an address");
  return customer;
}

function replace(customer: Customer, given: Partial<Replacement>, now: Date) {
  return replaceFields(customer, { display_name: null, metadata_json: null, ...given }, now);
}

test("a wallet is stored in its checksummed spelling, whatever the merchant sent", () => {
  const lower = newCustomer(TENANT, { ...NOTHING, wallet_address: WALLET.toLowerCase() }, EARLIER);
  expect(lower?.wallet_address).toBe(WALLET);
});

test("a text that is not an address makes no customer", () => {
  for (const text of ["", "0x1", `${WALLET}0`, WALLET.replace("a", "A"), "vitalik.eth"]) {
    expect(newCustomer(TENANT, { ...NOTHING, wallet_address: text }, EARLIER)).toBeUndefined();
  }
});

test("a name is kept in one normal form, so equal names are equal texts", () => {
  const composed = "Zo\u00eb";
  const decomposed = "Zoe\u0308";
  expect(aCustomer({ display_name: decomposed }).display_name).toBe(composed);
  expect(
    replace(aCustomer({ display_name: composed }), { display_name: decomposed }, LATER),
  ).toBeUndefined();
});

test("a present field replaces the whole value, an absent one stays", () => {
  const before = aCustomer({ display_name: "Ada", metadata_json: '{"a":1,"b":2}' });
  expect(replace(before, { metadata_json: '{"c":3}' }, LATER)).toEqual({
    ...before,
    metadata_json: '{"c":3}',
    updated_at: LATER,
    version: 2,
  });
  expect(replace(before, { display_name: "Grace" }, LATER)).toMatchObject({
    display_name: "Grace",
    metadata_json: '{"a":1,"b":2}',
  });
});

test("a text without characters clears a field, once", () => {
  const before = aCustomer({ display_name: "Ada", metadata_json: '{"a":1}' });
  const cleared = replace(before, { display_name: "", metadata_json: "" }, LATER);
  expect(cleared).toMatchObject({ display_name: null, metadata_json: null, version: 2 });
  expect(
    replace(cleared ?? before, { display_name: "", metadata_json: "" }, LATER),
  ).toBeUndefined();
});

test("an update that changes no value is no change", () => {
  const customer = aCustomer({ display_name: "Ada", metadata_json: '{"a":1,"b":{"c":[1,2]}}' });
  expect(replace(customer, {}, LATER)).toBeUndefined();
  expect(replace(customer, { display_name: "Ada" }, LATER)).toBeUndefined();
  const reordered = '{ "b": {"c":[1,2]}, "a": 1 }';
  expect(replace(customer, { metadata_json: reordered }, LATER)).toBeUndefined();
});

test("the order inside a list is a value", () => {
  const customer = aCustomer({ metadata_json: '{"a":[1,2]}' });
  expect(replace(customer, { metadata_json: '{"a":[2,1]}' }, LATER)?.version).toBe(2);
});
