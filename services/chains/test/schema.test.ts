import { test } from "@jest/globals";
import { describeWithPostgres, expectNoDrift } from "@pay/testing";

describeWithPostgres("the database of chains", () => {
  test("its migrations yield its schema", () => expectNoDrift("services/chains"));
});
