// A small webhook receiver: verifies each delivery and prints it. It sets itself as the project's callbackUrl.
//   npm run receiver [-- --port PORT] [-- --keep-url]
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { verifyWebhook } from "@pay/webhooks";
import { readJson } from "./data-folder.ts";
import type { Credentials } from "./demo-project.ts";

const PORT = 9_099;
const BODY_BYTES_MAX = 1_000_000;

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { port: { type: "string" }, "keep-url": { type: "boolean" } },
  });
  const port = Number(values.port ?? PORT);
  const file = join(process.env.DATA_DIR || ".data", "credentials.json");
  const credentials = readJson<Credentials>(file);
  if (credentials === undefined) throw new Error(`${file} is missing: is the product running?`);

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const genuine = verifyWebhook(credentials.webhookSecret, request.headers, body);
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
    server.listen(port, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${port}/`;
  console.log(`listening on ${url}`);
  if (!values["keep-url"]) await setCallbackUrl(credentials, url);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_BYTES_MAX) throw new Error("the body is too large");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

async function setCallbackUrl(credentials: Credentials, callbackUrl: string): Promise<void> {
  const response = await fetch(`${credentials.baseUrl}/v1/projects/me`, {
    method: "PUT",
    headers: { "X-Secret-Key": credentials.secretKey, "Content-Type": "application/json" },
    body: JSON.stringify({ callbackUrl }),
    signal: AbortSignal.timeout(10_000),
  });
  if (response.ok) return console.log(`the project's callbackUrl is now ${callbackUrl}`);
  const { message } = (await response.json()) as { message: string };
  throw new Error(
    `the callbackUrl was refused: ${message} (start:distributed takes http with WEBHOOKS_ALLOW_HTTP=1)`,
  );
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(`receiver: ${error.message}`);
  process.exitCode = 1;
});
