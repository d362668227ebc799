// Random faults, reorganisations, kills and two leaders: what is left is what a service leaves that followed the
// chain in peace.
import { test } from "@jest/globals";
import { testSeeds } from "@pay/testing";
import { describeChains } from "./chains.ts";
import { runChaos } from "./chaos/run.ts";

describeChains("a chain in chaos", () => {
  test.each(testSeeds([50, 243]))(
    "leaves the transfers, decisions and money of a quiet one (seed %i)",
    runChaos,
  );
});
