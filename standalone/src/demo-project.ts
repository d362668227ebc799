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

export type NewProject = Pick<
  Credentials,
  "projectId" | "secretKey" | "publishableKey" | "webhookSecret"
>;

/** The addresses and secrets that commands beside a running product need. */
export function writeRunFile(
  folder: DataFolder,
  {
    environment,
    parts,
    sideUrl,
  }: {
    environment: Environment;
    parts: Parts;
    /** Of /livez, /readyz and /metrics, where one address has them for all. */
    sideUrl?: string;
  },
): void {
  folder.writePrivate("run.json", {
    baseUrl: environment.PUBLIC_URL,
    sideUrl,
    gatewayDatabaseUrl: environment.GATEWAY_DATABASE_URL,
    databaseUrls: Object.fromEntries(
      ["GATEWAY", ...GRPC_SERVICES].map((name) => [
        name.toLowerCase(),
        environment[`${name}_DATABASE_URL`],
      ]),
    ),
    gatewayKeyPepper: environment.GATEWAY_KEY_PEPPER,
    webhooksAddress: environment.WEBHOOKS_ADDRESS,
    gatewayCallerTokens: environment.GATEWAY_CALLER_TOKENS,
    addresses: Object.fromEntries(
      GRPC_SERVICES.map((name) => [name.toLowerCase(), environment[`${name}_ADDRESS`]]),
    ),
    chainRpcUrl: parts.rpcUrl,
    chainId: parts.chainId,
    tokenAddress: parts.tokenAddress,
  });
}

/** The demo project is made at the first start and kept; the addresses are written at every start. */
export async function demoCredentials(
  folder: DataFolder,
  environment: Environment,
  parts: Parts,
  create: () => Promise<NewProject>,
): Promise<Credentials> {
  const kept = folder.read<Credentials>("credentials.json");
  const { projectId, secretKey, publishableKey, webhookSecret } = kept ?? (await create());
  const credentials: Credentials = {
    baseUrl: environment.PUBLIC_URL ?? "",
    projectId,
    secretKey,
    publishableKey,
    webhookSecret,
    chainRpcUrl: parts.rpcUrl,
    chainId: parts.chainId,
    tokenAddress: parts.tokenAddress,
  };
  folder.writePrivate("credentials.json", credentials);
  return credentials;
}

export function printDemoProject(credentials: Credentials, say: (line: string) => void): void {
  const { baseUrl, secretKey, publishableKey, webhookSecret, chainId, tokenAddress } = credentials;
  say("");
  say(`  base address     ${baseUrl}`);
  say(`  secret key       ${secretKey}`);
  say(`  publishable key  ${publishableKey}`);
  say(`  webhook secret   ${webhookSecret}`);
  say(`  chain            ${chainId}, test token ${tokenAddress}`);
  say(`  reference        ${baseUrl}/docs`);
  say("");
  say("  next, in a second terminal:");
  say(`    curl -s ${baseUrl}/v1/payments -H "X-Secret-Key: ${secretKey}" \\`);
  say(
    `      -H "Content-Type: application/json" -d '{"amount":"1.5","chainId":${chainId},` +
      `"currency":"native","recipientAddress":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}'`,
  );
  say("    npm run shopper -- pay <paymentId>");
  say("    npm run receiver");
  say("");
}
