// Lints the OpenAPI document as tools load it: `node tools/openapi-lint.ts`. A warning fails like an error.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDocuments } from "../services/gateway/src/api/openapi/routes.ts";
import { DOCUMENTED } from "../services/gateway/src/api/table.ts";

const TIMEOUT_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), "pay-openapi-"));
try {
  const { plain } = createDocuments(DOCUMENTED)("https://pay.example", undefined);
  const file = join(folder, "openapi.json");
  writeFileSync(file, plain);
  const { status, error } = spawnSync(
    "redocly",
    ["lint", file, "--extends=recommended-strict", "--format=stylish"],
    {
      stdio: "inherit",
      timeout: TIMEOUT_MS,
      env: {
        ...process.env,
        REDOCLY_TELEMETRY: "off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
      },
    },
  );
  if (error !== undefined) throw error;
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
