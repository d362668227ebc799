import { expect, test } from "@jest/globals";
import { NEWEST_VERSION, VERSIONS, versionServed } from "./versions.ts";

const [OLDEST] = VERSIONS;

test("versions are days, oldest first, each once", () => {
  for (const version of VERSIONS) expect(new Date(version).toISOString()).toContain(version);
  expect(VERSIONS).toEqual([...new Set(VERSIONS)].sort());
});

test("every version that exists is served to a request that names it", () => {
  for (const version of VERSIONS) expect(versionServed(version, OLDEST)).toBe(version);
});

test("who names none gets what the project was created with, as far as it is known", () => {
  expect(versionServed(undefined, NEWEST_VERSION)).toBe(NEWEST_VERSION);
  expect(versionServed(undefined, OLDEST)).toBe(OLDEST);
  expect(versionServed(undefined, "9999-12-31")).toBe(NEWEST_VERSION);
  expect(versionServed(undefined, "2000-01-01")).toBe(OLDEST);
});

test.each([
  "",
  "1",
  "v1",
  "2026-11-20",
  "21.11.2026",
  `${OLDEST}, ${OLDEST}`,
  ` ${OLDEST}`,
  "__proto__",
])("%j is refused with the versions there are", (named) => {
  expect(() => versionServed(named, OLDEST)).toThrow(
    expect.objectContaining({
      errorCode: "version_unknown",
      message: `X-Service-Version must be one of ${VERSIONS.join(", ")}`,
    }),
  );
});
