import { expect, test } from "@jest/globals";
import { type Customer, newCustomer, replaced } from "./customer.ts";

const TENANT = { projectId: "proj_000000000000000000000000", mode: 1 };
const WALLET = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const EARLIER = new Date(0);
const LATER = new Date(1_000);

const aCustomer = (fields: { displayName?: string; metadataJson?: string } = {}): Customer => {
  const customer = newCustomer(TENANT, { walletAddress: WALLET, ...fields }, EARLIER);
  if (customer === undefined) throw new Error("the wallet is an address");
  return customer;
};

test("a wallet is kept in its checksummed spelling, whatever the merchant's", () => {
  const lower = newCustomer(TENANT, { walletAddress: WALLET.toLowerCase() }, EARLIER);
  expect(lower?.wallet_address).toBe(WALLET);
});

test("what is no address makes no customer", () => {
  for (const walletAddress of ["", "0x1", `${WALLET}0`, WALLET.replace("a", "A"), "vitalik.eth"]) {
    expect(newCustomer(TENANT, { walletAddress }, EARLIER)).toBeUndefined();
  }
});

test("a name is kept in one normal form, so equal names are equal texts", () => {
  const composed = "Zo\u00eb";
  const decomposed = "Zoe\u0308";
  expect(aCustomer({ displayName: decomposed }).display_name).toBe(composed);
  expect(
    replaced(aCustomer({ displayName: composed }), { displayName: decomposed }, LATER),
  ).toBeUndefined();
});

test("a present field replaces the whole value, an absent one stays", () => {
  const before = aCustomer({ displayName: "Ada", metadataJson: '{"a":1,"b":2}' });
  expect(replaced(before, { metadataJson: '{"c":3}' }, LATER)).toEqual({
    ...before,
    metadata_json: '{"c":3}',
    updated_at: LATER,
    version: 2,
  });
  expect(replaced(before, { displayName: "Grace" }, LATER)).toMatchObject({
    display_name: "Grace",
    metadata_json: '{"a":1,"b":2}',
  });
});

test("an update that changes no value is no change", () => {
  const customer = aCustomer({ displayName: "Ada", metadataJson: '{"a":1,"b":{"c":[1,2]}}' });
  expect(replaced(customer, {}, LATER)).toBeUndefined();
  expect(replaced(customer, { displayName: "Ada" }, LATER)).toBeUndefined();
  const reordered = '{ "b": {"c":[1,2]}, "a": 1 }';
  expect(replaced(customer, { metadataJson: reordered }, LATER)).toBeUndefined();
});

test("the order inside a list is a value", () => {
  const customer = aCustomer({ metadataJson: '{"a":[1,2]}' });
  expect(replaced(customer, { metadataJson: '{"a":[2,1]}' }, LATER)?.version).toBe(2);
});
