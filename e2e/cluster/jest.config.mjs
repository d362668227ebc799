// `npm run e2e:cluster` needs a cluster, `npm run e2e:containers` a docker daemon, and the commands of e2e/faults take
// minutes, so they are no part of `npm test`.
import base from "../../jest.config.mjs";

const { transform, extensionsToTreatAsEsm, modulePathIgnorePatterns } = base.projects[0];

export default {
  rootDir: "../..",
  testEnvironment: "node",
  testMatch: ["<rootDir>/e2e/{cluster,faults}/*.run.ts"],
  testTimeout: 300_000,
  transform,
  extensionsToTreatAsEsm,
  modulePathIgnorePatterns,
};
