// `npm run e2e:cluster`: needs a cluster, so it is no part of `npm test`.
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
