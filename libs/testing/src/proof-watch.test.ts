import { expect, test } from "@jest/globals";
import { createProofWatch, proofCountsIn } from "./proof-watch.ts";

const METRICS = `# TYPE payment_proofs_unapplied_total counter
payment_proofs_unapplied_total{type="transfer.confirmed",status="failed"} 2
refund_proofs_unapplied_total 1
# TYPE observations_refused_total counter
observations_refused_total{consumer="payments",field="chain"} 3
events_consumed_total{consumer="payments",result="handled"} 9
`;

test("what the product counts is read, whatever its labels", () => {
  expect(proofCountsIn(METRICS)).toEqual({ unapplied: 3, refused: 3 });
  expect(proofCountsIn("")).toEqual({ unapplied: 0, refused: 0 });
});

test("a count that no test has announced fails the suite, and so does one that did not come", async () => {
  const watch = createProofWatch(async () => METRICS);
  await expect(watch.check()).rejects.toThrow("counted");
  watch.expect({ unapplied: 3 });
  watch.expect({ refused: 3 });
  await watch.check();
  watch.expect({ refused: 1 });
  await expect(watch.check()).rejects.toThrow("counted");
});
