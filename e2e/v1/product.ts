// The whole product as one process with its doors known: REST, every gRPC service, the databases. One per test file.
import { freePort } from "@pay/embedded";
import { type Credentials, createProjectByCommand } from "@pay/standalone";
import { describeWithChain, describeWithPostgres } from "@pay/testing";
import { newDataDir, type Running, startForm } from "../harness/standalone.ts";
import { type Ask, type Asked, createClient } from "./ask.ts";
import { judged, readDescription } from "./described.ts";

export const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const PAYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
export const COIN_UNIT = 10n ** 18n;

/** Limits have tests of their own; here they would only measure this machine. */
export const NO_LIMITS = Object.fromEntries(
  ["LIVE_PER_SECOND", "TEST_PER_SECOND", "ROUTE_PER_SECOND", "ADDRESS_PER_SECOND"]
    .concat(["CONFIRM_PER_MINUTE", "SSO_PER_SECOND"])
    .map((name) => [`RATE_LIMIT_${name}`, "0"]),
);

/** By which the product's services know each other. */
export const SERVICE_TOKEN = "the token of services under test";

const GRPC = ["chains", "customers", "payments", "refunds", "webhooks"] as const;

export interface Product {
  running: Running;
  credentials: Credentials;
  /** Of the gRPC server of a service. */
  grpc: Record<(typeof GRPC)[number], string>;
  /** Without any key. Every answer is held against the product's own description of itself. */
  ask: Ask;
  /** The same, and nobody judges. */
  askOnly: Ask;
  createProject(name: string): Promise<Credentials>;
  stop(): Promise<void>;
}

export const describeWithProduct = (name: string, body: () => void) =>
  describeWithPostgres(name, () => describeWithChain("on a local chain", body));

const STARTS_MAX = 3;

export const startProduct = async (
  env: Record<string, string> = {},
  /** What a proxy in front adds to every request. */
  added: Record<string, string> = {},
): Promise<Product> => {
  for (let start = 1; ; start++) {
    const dataDir = newDataDir();
    const { grpc, doors } = await chooseDoors();
    try {
      const all = { ...NO_LIMITS, ...doors, SERVICE_TOKENS: SERVICE_TOKEN, ...env };
      const running = await startForm("standalone", dataDir.path, all);
      return await productOf(running, grpc, added, () => dataDir.remove());
    } catch (error) {
      dataDir.remove();
      // Others on this machine choose ports too, and now and then the same one.
      if (start === STARTS_MAX || !`${error}`.includes("EADDRINUSE")) throw error;
    }
  }
};

const chooseDoors = async () => {
  const grpc = {} as Product["grpc"];
  const doors: Record<string, string> = {};
  for (const name of GRPC) {
    const port = await freePort();
    grpc[name] = `127.0.0.1:${port}`;
    doors[`${name.toUpperCase()}_GRPC_PORT`] = `${port}`;
    doors[`${name.toUpperCase()}_ADDRESS`] = grpc[name];
  }
  return { grpc, doors };
};

const productOf = async (
  running: Running,
  grpc: Product["grpc"],
  added: Record<string, string>,
  clear: () => void,
): Promise<Product> => {
  const { credentials, dataDir } = running;
  const client = createClient(credentials.baseUrl, added);
  return {
    running,
    credentials,
    grpc,
    ask: judged(client.ask, await readDescription(client.ask)),
    askOnly: client.ask,
    createProject: async (name) => {
      const { PATH } = process.env;
      const made = await createProjectByCommand(name, { PATH, DATA_DIR: dataDir });
      return { ...credentials, ...made };
    },
    stop: async () => {
      client.close();
      const code = await running.stop();
      clear();
      if (code !== 0) throw new Error(`the product ended with exit code ${code}`);
    },
  };
};

/** Requests with one key, in the header of its kind. */
export const askWith =
  (ask: Ask, key: string) =>
  (method: string, path: string, body?: object, headers: Asked["headers"] = {}) =>
    ask(method, path, { headers: { ...keyHeader(key), ...headers }, ...(body && { body }) });

export const keyHeader = (key: string): Record<string, string> =>
  key.startsWith("pk_") ? { "x-publishable-key": key } : { "x-secret-key": key };

export const orderOn = (chainId: number) => ({
  amount: "1.5",
  chainId,
  currency: "native",
  recipientAddress: RECIPIENT,
});
