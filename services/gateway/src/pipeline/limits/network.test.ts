import { expect, test } from "@jest/globals";
import { toNetwork } from "./network.ts";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["192.0.2.1:5050", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:0201", "192.0.2.1"],
  ["[::ffff:192.0.2.1]:443", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
  ["[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
  ["", "unknown"],
  ["_hidden", "unknown"],
  ["[", "unknown"],
  ["1".repeat(15_000), "unknown"],
])("%p counts as %p", (address, network) => {
  expect(toNetwork(address)).toBe(network);
});

test("all addresses of a /64 are one client, and those of the next one another", () => {
  function of(network: number) {
    return new Set(
      Array.from({ length: 1_000 }, (_, at) =>
        toNetwork(`2001:db8:0:${network.toString(16)}::${at.toString(16)}`),
      ),
    );
  }

  expect(of(1).size).toBe(1);
  expect(of(1)).not.toEqual(of(2));
});
