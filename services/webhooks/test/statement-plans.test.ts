import { describeStatementPlans } from "@pay/testing";
import * as statements from "../src/generated/sql.ts";

describeStatementPlans({
  folder: "services/webhooks",
  statements,
  values: {
    "deliveries.state": "(array['delivered', 'failed', 'parked', 'pending'])[1 + n % 4]",
  },
  small: { workers: "the running processes of the service" },
  whole: {
    readOldestWait: "its partial indexes have deliveries that are pending, and nothing else",
  },
});
