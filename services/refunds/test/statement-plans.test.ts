import { describeStatementPlans } from "@pay/testing";
import * as statements from "../src/generated/sql.ts";

const HELD_REASON = "case when n % 1000 = 0 then 'predates_payment' end";
const OTHER_HASHES = "null::jsonb";

describeStatementPlans({
  folder: "services/refunds",
  statements,
  values: {
    "refunds.status": "(array['created', 'completed', 'failed'])[1 + n % 3]",
    "refunds.held_reason": HELD_REASON,
    "refunds.other_hashes": OTHER_HASHES,
    "settlements.status": "(array['requested', 'approved', 'completed', 'failed'])[1 + n % 4]",
    "settlements.held_reason": HELD_REASON,
    "settlements.other_hashes": OTHER_HASHES,
    // A project has few wallets.
    "wallet_balances.project_id": "'proj_' || n % 2000",
  },
  whole: {
    countOnHold: "an index over the sums of wallets would slow down each change of them",
  },
});
