import { afterEach, expect, test } from "@jest/globals";
import {
  formatAge,
  formatExact,
  formatWhen,
  getZoneName,
  readTimeField,
  setZone,
  toTimeField,
} from "./times.ts";

const AT = "2026-01-31T23:30:05Z";

afterEach(() => setZone(undefined));

test("in UTC a time has the day and the hour of UTC", () => {
  setZone("UTC");
  expect(formatExact(AT)).toBe("23:30:05");
  expect(formatWhen(AT, new Date("2026-01-31T00:10:00Z"))).toBe("23:30");
  expect(formatWhen(AT, new Date("2026-02-01T00:10:00Z"))).toBe("31 Jan, 23:30");
  expect(formatWhen(AT, new Date("2027-01-31T23:40:00Z"))).toBe("31 Jan 2026, 23:30");
  expect(formatAge(AT, new Date("2026-02-01T08:00:00Z"))).toBe("Yesterday");
  expect(formatAge(AT, new Date("2026-02-02T08:00:00Z"))).toBe("31 Jan");
  expect(getZoneName()).toBe("UTC");
});

test("a field for a time is read in the zone in which it was filled", () => {
  const at = "2026-01-31T23:30:00.000Z";
  expect(readTimeField(toTimeField(new Date(at)))).toBe(at);
  setZone("UTC");
  expect(toTimeField(new Date(at))).toBe("2026-01-31T23:30");
  expect(readTimeField("2026-01-31T23:30")).toBe(at);
});
