/** Where a rule does not hold, and why. By rule, then by path; an entry that is no longer needed fails the test. */
export const EXCEPTIONS: Record<string, Record<string, string>> = {
  "a file has at most 400 lines": {
    "sdk/typescript/src/api/records/payments.ts":
      "it is written from the OpenAPI document, one file for each resource",
  },
  "a row that belongs to a project is asked for with its project": {
    "services/gateway/src/keys/pepper-watch.ts": "its count over all projects is for the operator",
    "services/gateway/src/projects/logo/storage.ts":
      "a logo is public for everyone who knows its digest",
    "services/payments/prisma/sql/findPaymentsByIds.sql":
      "a client secret names its payment, and the caller compares it",
  },
  "no banner comments": {
    "web/look/fonts/OFL.txt": "it is the licence of the fonts, word for word",
  },
  "the compiler is not silenced": {
    "libs/database/test/statement.test.ts": "its cases hold what must not compile",
  },
  "the environment is read only where a process begins": {
    "services/gateway/src/api/openapi/samples.ts":
      "it writes programs for readers, whose keys are in their environment",
    "sdk/typescript/src/testing/start-pay.ts":
      "it begins a process, which needs the PATH and the temporary folder of its parent",
  },
  "SQL is in prisma/sql, unless a request composes it": {
    "libs/database/src/migrate.ts": "it reads a table that is there only after the first migration",
    "libs/database/src/partitions/partitions.ts": "it names a partition, which is no parameter",
    "libs/database/src/schema-version.ts":
      "it reads settings of the server before the schema is there",
    "libs/database/src/statements/page.ts": "lists have the conditions of their request",
    "libs/embedded/src/postgres/postgres-role.ts": "it makes a role before there is a database",
    "libs/events/src/outbox/relay.ts":
      "several statements share a round trip, which takes no parameters",
    "services/payments/src/storage/listing/jump.ts": "lists have the conditions of their request",
    "services/payments/src/storage/listing/list-by-status.ts":
      "lists have the conditions of their request",
    "services/payments/src/storage/listing/list-by-value.ts":
      "lists have the conditions of their request",
    "services/payments/src/storage/listing/page.ts": "lists have the conditions of their request",
    "services/payments/src/storage/listing/search.ts": "lists have the conditions of their request",
    "services/payments/src/storage/listing/total.ts": "lists have the conditions of their request",
    "services/webhooks/src/storage/endpoint-log.ts": "lists have the conditions of their request",
    "services/webhooks/src/storage/feed.ts": "lists have the conditions of their request",
  },
};
