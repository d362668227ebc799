// Three kinds of tests, apart so that each can be run alone: unit (pure), service (one part with its real
// neighbours) and e2e (the whole product).
const common = {
  testEnvironment: "node",
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
      displayName: "service",
      testMatch: ["<rootDir>/{libs,services,standalone,deploy}/**/test/**/*.test.ts"],
    },
    { ...common, displayName: "e2e", testMatch: ["<rootDir>/e2e/**/*.test.ts"] },
  ],
};
