import * as chains from "../chains/examples.ts";
import * as customers from "../customers/examples.ts";
import * as events from "../events/examples.ts";
import type { Examples } from "../example-answers.ts";
import * as keys from "../keys/examples.ts";
import * as payments from "../payments/examples.ts";
import * as projects from "../projects/examples.ts";
import * as refunds from "../refunds/examples.ts";
import * as sessions from "../sessions/examples.ts";
import * as settlementDestinations from "../settlement-destinations/examples.ts";
import * as settlements from "../settlements/examples.ts";
import * as statements from "../statements/examples.ts";
import * as transfers from "../transfers/examples.ts";
import * as webhookEndpoints from "../webhook-endpoints/examples.ts";

/** By method and path, as the documentation shows them. */
export const EXAMPLES: Examples = {
  ...payments.EXAMPLES,
  ...customers.EXAMPLES,
  ...refunds.EXAMPLES,
  ...settlements.EXAMPLES,
  ...settlementDestinations.EXAMPLES,
  ...statements.EXAMPLES,
  ...transfers.EXAMPLES,
  ...chains.EXAMPLES,
  ...projects.EXAMPLES,
  ...keys.EXAMPLES,
  ...webhookEndpoints.EXAMPLES,
  ...events.EXAMPLES,
  ...sessions.EXAMPLES,
};
