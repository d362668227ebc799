import { availableParallelism } from "node:os";
import { hasDocker } from "./libs/testing/src/docker.mjs";

/** More of them need more connections than the run's PostgreSQL has. */
const WORKERS_MAX = 6;

// Three kinds of tests, apart so that each can be run alone: unit (pure), service (one part with its real
// neighbours) and e2e (the whole product).
const common = {
  testEnvironment: "<rootDir>/libs/testing/src/file-limit/environment.mjs",
  // Six times what the longest file takes on a slow and busy machine.
  testEnvironmentOptions: { limitMs: 30 * 60_000 },
  modulePathIgnorePatterns: ["/dist/"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: {
          parser: { syntax: "typescript" },
          target: "es2024",
          experimental: { keepImportAttributes: true },
        },
        module: { type: "es6" },
        sourceMaps: "inline",
      },
    ],
  },
};

// Parts that all test files of a run share, e.g. one PostgreSQL; each starts when it is first asked for.
const sharedParts = {
  globalSetup: "<rootDir>/libs/testing/src/run-setup.ts",
  globalTeardown: "<rootDir>/libs/testing/src/run-teardown.ts",
};

/** Tests that also run on a PostgreSQL of its own image, as an operator has it. */
const containers = {
  ...common,
  ...sharedParts,
  displayName: "containers",
  testEnvironmentOptions: { ...common.testEnvironmentOptions, parts: "container-" },
  testMatch: [
    "<rootDir>/libs/database/test/{migrate,partitions,transaction}.test.ts",
    "<rootDir>/libs/events/test/inbox.test.ts",
    "<rootDir>/libs/idempotency/test/*.test.ts",
  ],
};
const isDockerThere = await hasDocker();
if (!isDockerThere && process.argv[1]?.endsWith("jest.js") && process.argv.length === 2) {
  process.stderr.write("skipped the tests on containers: no Docker engine answers\n");
}

export default {
  // Half of the time of the longest files is waiting for servers: two more workers than cores keep the machine busy.
  maxWorkers: Math.min(availableParallelism() + 2, WORKERS_MAX),
  testSequencer: "<rootDir>/libs/testing/src/longest-first.mjs",
  // Ends a test or hook that hangs. A test with a shorter limit of its own would fail where the machine is only busy.
  testTimeout: 300_000,
  projects: [
    {
      ...common,
      displayName: "unit",
      testMatch: ["<rootDir>/{libs,services,standalone,tools,web,sdk}/**/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/", "/test/"],
    },
    {
      ...common,
      ...sharedParts,
      displayName: "service",
      testMatch: ["<rootDir>/{libs,services,standalone,deploy}/**/test/**/*.test.ts"],
    },
    {
      ...common,
      ...sharedParts,
      displayName: "e2e",
      testMatch: ["<rootDir>/e2e/**/*.test.ts"],
    },
    ...(isDockerThere ? [containers] : []),
  ],
};
