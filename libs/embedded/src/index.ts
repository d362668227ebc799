export { type Anvil, type AnvilOptions, missingAnvil, startAnvil } from "./anvil.ts";
export { type Authority, type Certificate, createAuthority } from "./certificates.ts";
export { callNode } from "./dev-rpc.ts";
export { endWithUs } from "./end-with-us.ts";
export { assemble, creationCode } from "./evm-assembler.ts";
export { freePort } from "./free-port.ts";
export { type Kafka, type KafkaOptions, startKafka } from "./kafka.ts";
export { type Postgres, type PostgresOptions, startPostgres } from "./postgres.ts";
export { missingPostgres } from "./postgres-binaries.ts";
export { createRoleAndDatabase, type RoleAndDatabase } from "./postgres-role.ts";
export { missingRedis, type Redis, type RedisOptions, startRedis } from "./redis.ts";
export {
  deployTestToken,
  sendFrom,
  type TestToken,
  type TestTokenOptions,
  transferData,
} from "./test-token.ts";
