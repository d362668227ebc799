import { test } from "@jest/globals";
import { describeWithPostgres, expectNoDrift } from "@pay/testing";

describeWithPostgres("the database of the gateway", () => {
  test("its migrations yield its schema", () => expectNoDrift("services/gateway"));
});
