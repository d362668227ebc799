import { describeStatementPlans } from "@pay/testing";
import * as statements from "../src/generated/sql.ts";

describeStatementPlans({
  folder: "libs/events/test/sample",
  statements,
  small: {
    dead_letters: "each is a fault that an operator looks at, and is deleted after 90 days",
  },
  whole: { recordRefusedEvents: "the bus refuses an event only where it is too large" },
});
