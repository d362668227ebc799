import { randomUUID } from "node:crypto";
import { expect, test } from "@jest/globals";
import { parseDeliveryId, toDeliveryId } from "./delivery-id.ts";

test("a delivery id converts back to the row's id", () => {
  const edges = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"];
  for (const uuid of [...edges, ...Array.from({ length: 100 }, () => randomUUID())]) {
    expect(parseDeliveryId(toDeliveryId(uuid))).toBe(uuid);
  }
});

test.each([
  "",
  "del_",
  "del_short",
  `del_${"z".repeat(24)}`,
  `evt_${"0".repeat(24)}`,
  `del_${"-".repeat(24)}`,
])("%p is not a delivery id", (text) => {
  expect(parseDeliveryId(text)).toBeUndefined();
});
