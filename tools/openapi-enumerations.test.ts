// Each enumeration of responses and webhooks in the OpenAPI document has the values that the code stores or decides.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { TIMELINE_STEPS } from "@pay/events";
import {
  ATTRIBUTION_RULES,
  AUTHORIZATION_STATES,
  FINALITY_MODES,
  NEEDS,
  ON_FAIL,
  OUTCOMES,
  PAID,
  RULES,
  SCREENING_CAUSES,
  TRANSACTION_SOURCES,
  UNMATCHED_REASONS,
  UNNAMED_TRANSFERS,
  VERDICT_STATES,
} from "@pay/values";
import { openApiDocument } from "../services/gateway/src/api/openapi/document.ts";
import { ROUTES } from "../services/gateway/src/api/table.ts";
import { TRANSITIONS } from "../services/payments/src/domain/payment.ts";

/** The values that a CHECK constraint of a database allows. */
function readConstraint(service: string, name: string): string[] {
  const file = `../services/${service}/prisma/migrations/0001_init/migration.sql`;
  const migration = readFileSync(join(import.meta.dirname, file), "utf8");
  const [, rule = ""] = migration.split(new RegExp(`constraint ${name}\\s`));
  const [check = ""] = rule.split(/,\n {2}constraint |\n\);/);
  return [...check.matchAll(/'(\w+)'/g)].map(([, value]) => value as string);
}

const PAYMENT_STATUSES = Object.values(TRANSITIONS).flatMap(({ from }) => [...from]);
const TRANSFER_STATUSES = readConstraint("chains", "transfers_status_known");

/** By schema and property. */
const SOURCES: readonly [RegExp, readonly string[]][] = [
  [/Payment\w*\.status$/, [...PAYMENT_STATUSES]],
  [/Refund\w*\.status$/, readConstraint("refunds", "refunds_status_known")],
  [/^PaymentStatus\.authorization\.state$|^SubmittedAuthorization\.status$/, AUTHORIZATION_STATES],
  [/^PaymentStatus\.refunds\.status$/, readConstraint("refunds", "refunds_status_known")],
  [/\.destinationSource$/, readConstraint("refunds", "refunds_destination_source_known")],
  [/^Settlement\.status$/, readConstraint("refunds", "settlements_status_known")],
  [/^Project\.variant$/, readConstraint("gateway", "projects_variant")],
  [/Key\w*\.type$/, readConstraint("gateway", "api_keys_type")],
  [/Key\w*\.mode$/, readConstraint("gateway", "api_keys_mode")],
  [/\.signatureScheme$/, readConstraint("webhooks", "endpoints_signature_scheme_known")],
  [/\.disabledReason$/, readConstraint("webhooks", "endpoints_disabled_reason_known")],
  [/Delivery\w*\.state$/, readConstraint("webhooks", "deliveries_state_known")],
  [/EndpointChange\w*\.change$/, readConstraint("webhooks", "endpoint_changes_change_known")],
  [/^PaymentExplainTransactionsTransfers\.state$/, TRANSFER_STATUSES],
  // A transfer of an orphaned block has not arrived.
  [/^Transfer\w+\.state$/, TRANSFER_STATUSES.filter((status) => status !== "orphaned")],
  [/Transfer\w*\.reason$/, readConstraint("chains", "attributions_reason_known")],
  [/\.rule$/, readConstraint("chains", "attributions_rule_known")],
  [/Payment\w*\.needs$/, NEEDS],
  [/Rules\.name$/, RULES],
  [/Rules\.outcome$/, OUTCOMES],
  [/^PaymentExplainTransactions\.source$/, TRANSACTION_SOURCES],
  [/^PaymentExplainTransactions\.state$/, VERDICT_STATES],
  [/\.pays$/, PAID],
  [/^ChainHealth\.finality$/, FINALITY_MODES],
  [/^Project\.unnamedTransfers$/, UNNAMED_TRANSFERS],
  [/\.screening\.onFail$/, ON_FAIL],
  [/\.screened\.cause$/, SCREENING_CAUSES],
  [/^PaymentTimeline\.event$/, Object.keys(TIMELINE_STEPS)],
];

/** The gateway alone decides these, and their types come from the list that the document shows. */
const OWN = [
  "Actor.type",
  "PaymentAction.name",
  "SearchItem.kind",
  "SearchResult.incomplete",
  "NeedItem.kind",
  "NeedState.kind",
  "NeedList.incomplete",
  "AuditItem.state",
  "BookList.state",
  "BookMonth.state",
  "PaymentPrimary.source",
  "PaymentB.source",
  "PaymentItemPrimary.source",
  "PaymentItemB.source",
  "PaymentExplain.nextStep.action",
  "PaymentStatus.shop.theme",
  "Statement.type",
  "X402SettlementState.state",
];

type Node = Record<string, unknown>;

function listEnumerations(node: unknown, path: string): [path: string, values: string[]][] {
  if (node === null || typeof node !== "object") return [];
  const { enum: values, properties = {}, ...rest } = node as Node & { enum?: string[] };
  const below = ["anyOf", "oneOf", "allOf", "items"].flatMap((name) =>
    [rest[name] ?? []].flat().flatMap((one) => listEnumerations(one, path)),
  );
  const named = Object.entries(properties as Node).flatMap(([name, one]) =>
    listEnumerations(one, `${path}.${name}`),
  );
  return [
    ...(values === undefined ? [] : [[path, values] as [string, string[]]]),
    ...below,
    ...named,
  ];
}

const { components } = openApiDocument(ROUTES, "https://pay.example") as {
  components: { schemas: Node };
};
const FOUND = Object.entries(components.schemas).flatMap(([name, schema]) =>
  listEnumerations(schema, name),
);

test("shared lists are those of the databases", () => {
  expect([...ATTRIBUTION_RULES]).toEqual(readConstraint("chains", "attributions_rule_known"));
  expect([...UNMATCHED_REASONS].sort()).toEqual(
    readConstraint("chains", "attributions_reason_known").sort(),
  );
});

test.each(FOUND)("%s has the values of the code", (path, values) => {
  if (OWN.includes(path)) return;
  const source = SOURCES.find(([pattern]) => pattern.test(path));
  const expected = [...new Set(source?.[1])].sort();
  const shown = values.filter((value) => value !== null).sort();
  expect({ path, shown }).toEqual({ path, shown: expected });
});

test("every source and exception is used", () => {
  const paths = FOUND.map(([path]) => path);
  expect(SOURCES.filter(([pattern]) => !paths.some((path) => pattern.test(path)))).toEqual([]);
  expect(OWN.filter((path) => !paths.includes(path))).toEqual([]);
});
