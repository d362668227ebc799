import { test } from "@jest/globals";
import { expectNoDrift } from "@pay/testing";

test("the migrations yield what the schema says", () => expectNoDrift("services/webhooks"));
