import { expect, test } from "@jest/globals";
import { isTouched } from "./touched.ts";

const ONE = `pay_${"1".repeat(24)}`;
const OTHER = `pay_${"2".repeat(24)}`;
const REFUND = `refund_${"1".repeat(24)}`;

test.each([
  ["/v1/payments?limit=50", [ONE], true],
  [`/v1/payments/${ONE}?expand=refunds`, [ONE], true],
  [`/v1/payments/${ONE}?expand=refunds`, [OTHER], false],
  [`/v1/payments/${ONE}?expand=refunds`, [OTHER, REFUND], true],
  [`/v1/deliveries?resourceId=${ONE}`, [OTHER], false],
  ["/v1/projects/me/keys?limit=50", [ONE], false],
  ["/v1/chains", [ONE], false],
])("an event may change %s: %j, %s", (path, changed, expected) => {
  expect(isTouched(path, new Set(changed))).toBe(expected);
});
