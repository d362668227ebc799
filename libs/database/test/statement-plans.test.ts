// The exceptions prove that a read of a whole table is found.
import { describeStatementPlans } from "@pay/testing";
import * as statements from "./sample/src/generated/sql.ts";

describeStatementPlans({
  folder: "libs/database/test/sample",
  statements,
  whole: {
    findOwners: "it also searches inside of addresses, for which there is no index",
    findPayloads: "no index has payloads",
    removeNotes: "the sample has no index on the owner of a note",
  },
});
