import { test } from "@jest/globals";
import { expectKeysOfProjects, expectNoDrift } from "@pay/testing";

test("the migrations yield the schema", () => expectNoDrift("services/webhooks"));

test("keys begin with the project", () =>
  expectKeysOfProjects("services/webhooks", {
    attempts: "part of a delivery",
    deliveries:
      "part of an event: with the project in its keys a delivery costs the database 1.6 times as much",
    endpoint_loads: "written by workers, which know an endpoint by its id alone",
    "endpoints.endpoints_pkey":
      "a delivery names its endpoint by the id alone, so two of one id would be one receiver",
    "events.events_pkey":
      "deliveries point to it by the id alone, and an event that the bus repeats is stored once",
    workers: "processes of the service",
  }));
