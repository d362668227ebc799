export { bigints } from "./bigints.ts";
export { databaseConfig } from "./config.ts";
export { type Database, type OpenOptions, openDatabase } from "./connect.ts";
export { migrationDrift } from "./drift.ts";
export {
  getConstraint,
  getSqlState,
  isFaultOfData,
} from "./errors.ts";
export { type Lists, listCost, openListedDatabase, pageCost, readCost } from "./lists/lists.ts";
export { type MigrateOptions, migrate } from "./migrate.ts";
export {
  findMigrationFiles,
  type Migration,
  type MigrationFiles,
  readMigrations,
} from "./migrations-folder.ts";
export { keepPartitions } from "./partitions/keep-partitions.ts";
export { createPartitions } from "./partitions/partitions.ts";
export type { AllWritten, RowFrom } from "./rows/columns.ts";
export { type MessageColumns, planColumns } from "./rows/columns.ts";
export { type Listed, planMessages, rowToMessage } from "./rows/message.ts";
export { awaitSchema, type SchemaWait } from "./schema-version.ts";
export { openServiceDatabase } from "./service-database.ts";
export {
  anyCondition,
  type Condition,
  condition,
  joinConditions,
} from "./statements/conditions.ts";
export {
  COUNTED_MAX,
  type Page,
  type PageQuery,
  type PageRequest,
  parsePage,
  SEARCHED_MAX,
  selectPage,
} from "./statements/page.ts";
export { retryItemsOnStaleVersion, retryOnStaleVersion } from "./statements/stale-version.ts";
export {
  type Codec,
  type Command,
  /** @public Imported by generated code. */
  command,
  hexBytes,
  type Queryable,
  type Statement,
  /** @public */
  statement,
} from "./statements/statement.ts";
export { type TransactionOptions, transaction } from "./transaction.ts";
