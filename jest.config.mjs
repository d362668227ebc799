// Three kinds of tests, apart so that each can be run alone: unit (pure), service (one part with its real
// neighbours) and e2e (the whole product).
const common = {
  testEnvironment: "node",
  modulePathIgnorePatterns: ["/dist/"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: { parser: { syntax: "typescript" }, target: "es2024" },
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

export default {
  maxWorkers: 2,
  testTimeout: 30_000,
  projects: [
    {
      ...common,
      displayName: "unit",
      testMatch: ["<rootDir>/{libs,services,standalone,tools}/**/*.test.ts"],
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
  ],
};
