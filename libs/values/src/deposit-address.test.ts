import { expect, test } from "@jest/globals";
import { toAddress } from "./address.ts";
import { DEPOSIT_FACTORY, toDepositAddress, toDepositSalt } from "./deposit-address.ts";

const recipient = toAddress("0x52908400098527886e0f7030069857d2e4169ee7");

// Money is on its way to these: a compiler or a setting that changes them loses it.
test("the factory, a salt and a deposit address never change", () => {
  expect(DEPOSIT_FACTORY).toBe("0x05b369ce7ae1f79b6814b2ca0c261e49d07bc467");
  expect(toDepositSalt("pay_1")).toBe(
    "0xf48b531b7601d0a0131f386797e81d6fc4d7c79c4e5c4a70791642e1ca54a074",
  );
  expect(toDepositAddress({ paymentId: "pay_1", recipient })).toBe(
    "0x94717e0f0f350fda4923d328121b6a19a18aa64d",
  );
});
