export { type Anvil, type AnvilOptions, missingAnvil, startAnvil } from "./anvil/anvil.ts";
export { callNode } from "./anvil/dev-rpc.ts";
export {
  deployOnce,
  deployTestToken,
  sendFrom,
  type TestToken,
  type TestTokenOptions,
  transferData,
} from "./anvil/test-token.ts";
export { type Authority, type Certificate, createAuthority } from "./certificates.ts";
export { type Kafka, type KafkaOptions, prepareKafka, startKafka } from "./kafka/kafka.ts";
export { kafkaJars } from "./kafka/kafka-jars.ts";
export { type Postgres, type PostgresOptions, startPostgres } from "./postgres/postgres.ts";
export { missingPostgres } from "./postgres/postgres-binaries.ts";
export { createRoleAndDatabase, type RoleAndDatabase } from "./postgres/postgres-role.ts";
export { endWithUs } from "./processes/end-with-us.ts";
export { freezeProcess } from "./processes/freeze.ts";
export { isTaken, leasePort, onPort, PortTaken } from "./processes/port.ts";
export { fieldsOfStat, isRunning } from "./processes/process-table.ts";
export { missingRedis, type Redis, type RedisOptions, startRedis } from "./redis/redis.ts";
