// A small webhook receiver: verifies each delivery and prints it. It sets itself as the project's callbackUrl of both
// modes, and puts the addresses from before back when it ends.
//   npm run receiver -- [--port PORT] [--keep-url]
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { verifyWebhook } from "@pay/webhooks";
import { callProduct } from "./call-product.ts";
import { readJson } from "./data-folder.ts";
import type { DemoCredentials } from "./demo-project.ts";

const PORT = 9_099;
const BODY_BYTES_MAX = 1_000_000;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { port: { type: "string" }, "keep-url": { type: "boolean" } },
  });
  const file = join(process.env.DATA_DIR || ".data", "credentials.json");
  const credentials = readJson<DemoCredentials>(file);
  if (credentials === undefined) throw new Error(`${file} is missing: is the product running?`);

  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const genuine = isGenuine(credentials, request.headers, body);
    function said(name: string) {
      return request.headers[`x-service-${name}`];
    }

    console.log(
      `${genuine ? "genuine" : "REFUSED"} ${said("mode")} ${said("event")} ` +
        `attempt ${said("attempt")} ${said("event-id")}`,
    );
    console.log(`  ${body.toString("utf8")}`);
    response.writeHead(genuine ? 200 : 400).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(Number(values.port ?? PORT), "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  if (!values["keep-url"]) {
    try {
      await receiveAt(credentials, url, file);
    } catch (error) {
      server.close();
      throw error;
    }
  }
  console.log(`listening on ${url}`);
}

/** Each mode has a secret of its own, so the secret that fits proves the mode. */
function isGenuine(
  { webhookSecret, testWebhookSecret }: DemoCredentials,
  headers: IncomingMessage["headers"],
  body: Buffer,
): boolean {
  const secret = headers["x-service-mode"] === "test" ? testWebhookSecret : webhookSecret;
  return secret !== undefined && verifyWebhook(secret, headers, body);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_BYTES_MAX) throw new Error("the body is too large");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

interface Settings {
  callbackUrl: string | null;
  webhookSecret?: string;
}

/** The events of both modes come here until the receiver ends. */
async function receiveAt(credentials: DemoCredentials, url: string, file: string): Promise<void> {
  const { baseUrl, secretKey, testSecretKey } = credentials;
  const changes = [await setCallbackUrl({ baseUrl, secretKey }, url)];
  if (testSecretKey !== undefined) {
    const keys = { baseUrl, secretKey: testSecretKey };
    const test = await setCallbackUrl(keys, url);
    changes.push(test);
    credentials.testWebhookSecret =
      test.webhookSecret ?? credentials.testWebhookSecret ?? (await replacedSecret(keys));
    writeFileSync(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  }
  console.log(`the project's callbackUrl is now ${url}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, async () => {
      const results = await Promise.allSettled(changes.map(({ putBack }) => putBack()));
      const done = results.every(({ status }) => status === "fulfilled");
      console.log(done ? "stopped; callbackUrl is as it was before" : "stopped");
      process.exit(0);
    });
  }
}

async function setCallbackUrl(keys: { baseUrl: string; secretKey: string }, callbackUrl: string) {
  const path = "/v1/projects/me";
  const before = await callProduct<Settings>(keys, { method: "GET", path });
  function put(wanted: string | null) {
    return callProduct<Settings>(keys, { method: "PUT", path, body: { callbackUrl: wanted } });
  }

  const { webhookSecret } = await put(callbackUrl).catch((error: Error) => {
    throw new Error(
      `the callbackUrl was refused: ${error.message} (start:distributed takes http with WEBHOOKS_ALLOW_HTTP=1)`,
    );
  });
  return { webhookSecret, putBack: () => put(before.callbackUrl) };
}

/** Test mode's secret was shown once, with the first address; a new one replaces it at once. */
async function replacedSecret(keys: { baseUrl: string; secretKey: string }): Promise<string> {
  const path = "/v1/webhook-endpoints";
  const { data } = await callProduct<{ data: { id: string; isDefault: boolean }[] }>(keys, {
    method: "GET",
    path: `${path}?limit=100`,
  });
  const id = data.find(({ isDefault }) => isDefault)?.id;
  const rotated = await callProduct<{ secret: string }>(keys, {
    method: "POST",
    path: `${path}/${id}/rotate-secret`,
    body: { overlapSeconds: 0 },
  });
  return rotated.secret;
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(`receiver: ${error.message}`);
  process.exitCode = 1;
});
