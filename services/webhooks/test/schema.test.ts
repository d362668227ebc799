import { test } from "@jest/globals";
import { expectKeysOfProjects, expectNoDrift } from "@pay/testing";

test("the migrations yield what the schema says", () => expectNoDrift("services/webhooks"));

test("its keys begin with the project", () =>
  expectKeysOfProjects("services/webhooks", {
    attempts: "part of a delivery",
    deliveries: "part of an event",
    "endpoints.endpoints_pkey": "secrets, deliveries and changes point to it",
    "events.events_pkey":
      "deliveries and attempts point to it, and an event that the bus repeats is stored once",
    secrets: "part of an endpoint",
    workers: "processes of the service",
  }));
