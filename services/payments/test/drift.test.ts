import { test } from "@jest/globals";
import { expectKeysOfProjects, expectNoDrift } from "@pay/testing";

test("the migrations yield what the schema says", () => expectNoDrift("services/payments"));

test("its keys begin with the project", () =>
  expectKeysOfProjects("services/payments", {
    handoffs: "a code of one payment that lives for minutes; its reader knows the payment",
  }));
