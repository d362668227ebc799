// The whole product as one process with known addresses: REST, every gRPC service, the databases. One per test file, on
// databases of its own in the server of the run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CALLERS } from "@pay/rpc";
import { type Credentials, createProjectByCommand, SERVICE_NAMES } from "@pay/standalone";
import {
  createProofWatch,
  describeWithChain,
  describeWithPostgres,
  limitRates,
  PATIENT_GATEWAY,
  type ProofWatch,
  testDatabaseUrl,
} from "@pay/testing";
import { fetchMetrics, newDataDir, type Running, startForm } from "../harness/standalone.ts";
import { type Ask, type Asked, createClient } from "./ask.ts";
import { judged, readDescription } from "./described.ts";

export const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const PAYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
export const COIN_UNIT = 10n ** 18n;

/** The token with which a service identifies itself to other services. */
export function getToken(caller: string): string {
  return `the token of ${caller} as it is under test`;
}

const CALLER_TOKENS = Object.fromEntries(
  CALLERS.map((name) => [`${name.toUpperCase()}_CALLER_TOKENS`, getToken(name)]),
);

type GrpcService = "chains" | "customers" | "payments" | "refunds" | "webhooks";

export interface Product {
  running: Running;
  credentials: Credentials;
  /** The address of each service's gRPC server. */
  grpc: Record<GrpcService, string>;
  /** Sends no key. Every answer is compared with the product's OpenAPI document. */
  ask: Ask;
  /** The same, without that comparison. */
  askOnly: Ask;
  createProject(name: string): Promise<Credentials>;
  /** Counts proofs without effect; stop() fails if a test did not expect them. */
  proofs: ProofWatch;
  stop(): Promise<void>;
}

export function describeWithProduct(name: string, body: () => void) {
  return describeWithPostgres(name, () => describeWithChain("on a local chain", body));
}

export async function startProduct(
  env: Record<string, string> = {},
  /** What a proxy in front adds to every request. */
  added: Record<string, string> = {},
): Promise<Product> {
  const dataDir = newDataDir();
  const databases = await Promise.all(
    SERVICE_NAMES.map(async (name) => ({
      variable: `${name.toUpperCase()}_DATABASE_URL`,
      ...(await testDatabaseUrl(`services/${name}`)),
    })),
  );
  async function clear() {
    dataDir.remove();
    await Promise.all(databases.map(({ drop }) => drop()));
  }

  try {
    const urls = Object.fromEntries(databases.map(({ variable, url }) => [variable, url]));
    const all = { ...limitRates(), ...PATIENT_GATEWAY, ...CALLER_TOKENS, ...urls, ...env };
    return await wrapProduct(await startForm("standalone", dataDir.path, all), added, clear);
  } catch (error) {
    await clear();
    throw error;
  }
}

async function wrapProduct(
  running: Running,
  added: Record<string, string>,
  clear: () => Promise<void>,
): Promise<Product> {
  const { credentials, dataDir } = running;
  const { addresses, adminUrl } = JSON.parse(readFileSync(join(dataDir, "run.json"), "utf8"));
  const proofs = createProofWatch(() => fetchMetrics(adminUrl));
  const client = createClient(credentials.baseUrl, added);
  return {
    running,
    credentials,
    grpc: addresses,
    ask: judged(client.ask, await readDescription(client.ask)),
    askOnly: client.ask,
    createProject: async (name) => {
      const { PATH, NODE_COMPILE_CACHE } = process.env;
      const own = { PATH, NODE_COMPILE_CACHE, DATA_DIR: dataDir };
      const made = await createProjectByCommand(name, own);
      return { ...credentials, ...made };
    },
    proofs,
    stop: async () => {
      client.close();
      const judged = await proofs.check().catch((error: Error) => error);
      const code = await running.stop();
      await clear();
      if (judged instanceof Error) throw judged;
      if (code !== 0) throw new Error(`the product ended with exit code ${code}`);
    },
  };
}

/** Requests with one key, in the header of its kind. */
export function askWith(ask: Ask, key: string) {
  return (method: string, path: string, body?: object, headers: Asked["headers"] = {}) =>
    ask(method, path, { headers: { ...keyHeader(key), ...headers }, ...(body && { body }) });
}

export function keyHeader(key: string): Record<string, string> {
  return key.startsWith("pk_") ? { "x-publishable-key": key } : { "x-secret-key": key };
}

/** A small part of what a wallet has received; the destination is the test's own. */
export function settlementOn(chainId: number) {
  return {
    amount: "0.000001",
    chainId,
    currency: "native",
    sourceAddress: RECIPIENT,
  };
}

/** A webhook endpoint whose name never resolves; it receives few events, because nothing answers there. */
export const ENDPOINT = { url: "https://receiver.invalid/webhooks", events: ["payment.failed"] };

export function orderOn(chainId: number) {
  return {
    amount: "1.5",
    chainId,
    currency: "native",
    recipientAddress: RECIPIENT,
  };
}
