// `npm run e2e:cluster` needs a cluster and `npm run e2e:containers` a docker daemon, so they are no part of `npm
// test`.
import base from "../../jest.config.mjs";

const { transform, extensionsToTreatAsEsm, modulePathIgnorePatterns } = base.projects[0];

export default {
  rootDir: "../..",
  testEnvironment: "node",
  testMatch: ["<rootDir>/e2e/cluster/*.run.ts"],
  testTimeout: 300_000,
  transform,
  extensionsToTreatAsEsm,
  modulePathIgnorePatterns,
};
