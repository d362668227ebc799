import { join } from "node:path";
import type { DataFolder } from "./data-folder.ts";
import { GRPC_SERVICES } from "./environment.ts";
import type { Environment, Parts } from "./parts.ts";

/** The content of credentials.json, for scripts. */
export interface Credentials {
  baseUrl: string;
  projectId: string;
  secretKey: string;
  publishableKey: string;
  webhookSecret: string;
  chainRpcUrl: string;
  chainId: number;
  tokenAddress: string;
}

/** The demo project has keys of test mode besides, which older data folders lack. */
export interface DemoCredentials extends Credentials {
  testSecretKey?: string | undefined;
  testPublishableKey?: string | undefined;
  /** Known once test mode has an address for webhooks; `npm run receiver` sets it. */
  testWebhookSecret?: string | undefined;
}

export type NewProject = Omit<
  DemoCredentials,
  "baseUrl" | "chainRpcUrl" | "chainId" | "tokenAddress"
>;

/** The addresses and secrets that commands beside a running product need. */
export function writeRunFile(
  folder: DataFolder,
  {
    environment,
    parts,
    adminUrl,
  }: {
    environment: Environment;
    parts: Parts;
    /** Of /livez, /readyz and /metrics, where one address has them for all. */
    adminUrl?: string;
  },
): void {
  folder.writePrivate("run.json", {
    baseUrl: environment.PUBLIC_URL,
    adminUrl,
    gatewayDatabaseUrl: environment.GATEWAY_DATABASE_URL,
    databaseUrls: Object.fromEntries(
      ["GATEWAY", ...GRPC_SERVICES].map((name) => [
        name.toLowerCase(),
        environment[`${name}_DATABASE_URL`],
      ]),
    ),
    gatewayKeyPepper: environment.GATEWAY_KEY_PEPPER,
    webhooksAddress: environment.WEBHOOKS_ADDRESS,
    brokers: environment.KAFKA_BROKERS,
    gatewayCallerTokens: environment.GATEWAY_CALLER_TOKENS,
    addresses: Object.fromEntries(
      GRPC_SERVICES.map((name) => [name.toLowerCase(), environment[`${name}_ADDRESS`]]),
    ),
    chainRpcUrl: parts.rpcUrl,
    chainId: parts.chainId,
    tokenAddress: parts.tokenAddress,
  });
}

/** A link, good once and for a quarter of an hour, that opens the dashboard as owner of the demo project. */
export async function linkToDashboard(
  environment: Environment,
  { projectId }: DemoCredentials,
): Promise<string> {
  const { createOwnerLink } = await import("@pay/gateway");
  const from = {
    baseUrl: environment.PUBLIC_URL ?? "",
    gatewayDatabaseUrl: environment.GATEWAY_DATABASE_URL ?? "",
    gatewayKeyPepper: environment.GATEWAY_KEY_PEPPER ?? "",
  };
  const owner = { email: "owner@localhost", name: "Owner", projectId };
  // The first steps are made with test keys, so live mode is empty.
  return `${(await createOwnerLink(from, owner)).dashboard}?mode=test`;
}

/** The demo project is made at the first start and kept; the addresses are written at every start. */
export async function demoCredentials(
  folder: DataFolder,
  environment: Environment,
  parts: Parts,
  create: () => Promise<NewProject>,
): Promise<DemoCredentials> {
  const kept = folder.read<DemoCredentials>("credentials.json");
  const { projectId, testSecretKey, testPublishableKey, testWebhookSecret, ...live } =
    kept ?? (await create());
  const credentials: DemoCredentials = {
    baseUrl: environment.PUBLIC_URL ?? "",
    projectId,
    testSecretKey,
    testPublishableKey,
    testWebhookSecret,
    secretKey: live.secretKey,
    publishableKey: live.publishableKey,
    webhookSecret: live.webhookSecret,
    chainRpcUrl: parts.rpcUrl,
    chainId: parts.chainId,
    tokenAddress: parts.tokenAddress,
  };
  folder.writePrivate("credentials.json", credentials);
  return credentials;
}

export function printDemoProject(
  credentials: DemoCredentials,
  {
    folder: { path },
    dashboard,
    brokers,
    say,
  }: {
    folder: DataFolder;
    dashboard: string;
    /** Absent where events stay in the process. */
    brokers: string | undefined;
    say: (line: string) => void;
  },
): void {
  const { baseUrl, projectId, testSecretKey, testPublishableKey, chainId } = credentials;
  const advice = `none yet: npm run keys:create -- --project ${projectId} --mode test`;
  say("");
  say(`  base address          ${baseUrl}`);
  say(`  test secret key       ${testSecretKey ?? advice}`);
  say(`  test publishable key  ${testPublishableKey ?? "none yet"}`);
  say(`  all keys              ${join(path, "credentials.json")}`);
  const token = credentials.tokenAddress && `, test token ${credentials.tokenAddress}`;
  say(`  chain                 ${chainId}${token}`);
  if (brokers !== undefined) say(`  Kafka                 ${brokers}`);
  say(`  reference             ${baseUrl}/docs`);
  say(`  Dashboard             ${dashboard}`);
  say("");
  say('  next, in further terminals (README.md, "A first payment in five minutes"):');
  say("    npm run receiver");
  say("    npm run shopper -- pay <paymentId or file>");
  if (brokers !== undefined) say("    npm run events -- follow payments");
  say("");
}
