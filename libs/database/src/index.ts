export { bigints } from "./bigints.ts";
export { databaseConfig } from "./config.ts";
export { type Database, type OpenOptions, openDatabase } from "./connect.ts";
export { migrationDrift } from "./drift.ts";
export { constraintOf, isConflict, sqlStateOf } from "./errors.ts";
export {
  findAnswer,
  type IdempotentAnswer,
  type IdempotentRequest,
  idempotencyScope,
  idempotently,
  idempotentRequest,
  keyTurn,
  purgeIdempotency,
  sameRequest,
  sealAnswer,
  sealFailure,
  startIdempotencyPurge,
  stillRunning,
} from "./idempotency.ts";
export { idempotentCall } from "./idempotent-call.ts";
export { type MigrateOptions, migrate, pendingMigrations } from "./migrate.ts";
export {
  type Migration,
  type MigrationFiles,
  migrationFilesOf,
  readMigrations,
} from "./migrations-folder.ts";
export {
  NEWEST_FIRST,
  type Page,
  type PageQuery,
  type PageRequest,
  pageOf,
  pageRange,
  selectPage,
} from "./page.ts";
export { awaitSchema, type SchemaWait } from "./schema-version.ts";
export { type TransactionOptions, transaction } from "./transaction.ts";
