import { describeStatementPlans } from "@pay/testing";
import * as statements from "../src/generated/sql.ts";

describeStatementPlans({
  folder: "services/gateway",
  statements,
  values: {
    "projects.branding_config": "jsonb_build_object('logoUrl', 'https://shop.example/' || n)",
    "projects.sso": "null::jsonb",
  },
});
