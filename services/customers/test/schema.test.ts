import { test } from "@jest/globals";
import { describeWithPostgres, expectKeysOfProjects, expectNoDrift } from "@pay/testing";

describeWithPostgres("the database of customers", () => {
  test("its migrations yield its schema", () => expectNoDrift("services/customers"));

  test("its keys begin with the project", () => expectKeysOfProjects("services/customers"));
});
