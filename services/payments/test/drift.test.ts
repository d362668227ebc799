import { test } from "@jest/globals";
import { expectKeysOfProjects, expectNoDrift } from "@pay/testing";

const HOME = "services/payments";

test("the migrations yield the schema", () => expectNoDrift(HOME));

test("its keys begin with the project", () =>
  expectKeysOfProjects(HOME, {
    handoffs: "a code of one payment that lives for minutes; its reader knows the payment",
  }));
