export {
  type Authority,
  type Certificate,
  createAuthority,
  freezeProcess,
  onPort,
} from "@pay/embedded";
export { describeWithChain, type TestChain, type Transaction, testChain } from "./chain.ts";
export { type Collector, type Span, startCollector } from "./collector.ts";
export type { Fault, FaultProxy } from "./fault-proxy.ts";
export { type IdentityProvider, startIdentityProvider } from "./identity-provider.ts";
export {
  describeWithBroker,
  describeWithKafka,
  kafkaClassPath,
  type TestBroker,
  type TestKafka,
  testBroker,
  testKafka,
} from "./kafka.ts";
export { mendGroups, ONE_OFFSETS_LOG, spoilGroups } from "./kafka-groups.ts";
export { type MailServer, startMailServer } from "./mail-server.ts";
export { PATIENCE_MS, PATIENT_GATEWAY, patient, patientUrl } from "./patience.ts";
export { countPages, type Plan, readPlan, wastefulReads } from "./plans.ts";
export {
  addPastPartitions,
  describeWithPostgres,
  expectNoDrift,
  type TestDatabase,
  type TestPostgres,
  testDatabase,
  testDatabaseUrl,
  testPostgres,
} from "./postgres.ts";
export {
  createProofWatch,
  type ProofCounts,
  type ProofWatch,
} from "./proof-watch.ts";
export { missingPython, obtainPython, type PythonPackage } from "./python.ts";
export { createRandom, type Random } from "./random.ts";
export { limitRates } from "./rate-limits.ts";
export {
  createMuteServer,
  type Received,
  type Receiver,
  type Script,
  startReceiver,
} from "./receiver.ts";
export { describeWithRedis, type TestRedis, testRedis } from "./redis.ts";
export { shareCompiledCode } from "./run-parts.ts";
export { type Records, type ScriptedDns, startScriptedDns } from "./scripted-dns.ts";
export { testSeeds } from "./seeds.ts";
export { describeStatementPlans } from "./statement-plans.ts";
export { expectKeysOfProjects } from "./tenant-keys.ts";
export { describeUnless, testUnless } from "./unless.ts";
export { until } from "./until.ts";
