import { Counter } from "prom-client";

/** Shared, because several services of one process may read the same topic. */
export const observationsRefused = new Counter({
  name: "observations_refused_total",
  help: "Events that do not fit the record they name, by the field that differs; they change nothing",
  labelNames: ["consumer", "field"],
});
