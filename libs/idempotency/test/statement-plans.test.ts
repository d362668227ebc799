import { describeStatementPlans } from "@pay/testing";
import * as statements from "../src/generated/sql.ts";

describeStatementPlans({ folder: "libs/idempotency/test/sample", statements });
