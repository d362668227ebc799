export { type Authority, type Certificate, createAuthority } from "@pay/embedded";
export { describeWithChain, type TestChain, type Transaction, testChain } from "./chain.ts";
export { type Fault, type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
export {
  describeWithBroker,
  describeWithKafka,
  type TestBroker,
  type TestKafka,
  testBroker,
  testKafka,
} from "./kafka.ts";
export {
  describeWithPostgres,
  expectNoDrift,
  type TestDatabase,
  type TestPostgres,
  testDatabase,
  testPostgres,
} from "./postgres.ts";
export { type Received, type Receiver, type Script, startReceiver } from "./receiver.ts";
export { describeWithRedis, type TestRedis, testRedis } from "./redis.ts";
export { type Records, type ScriptedDns, startScriptedDns } from "./scripted-dns.ts";
export { until } from "./until.ts";
