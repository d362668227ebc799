// Whatever a merchant saves as an address, the service's own network stays untouched: the canary must see no one.
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type ScriptedDns, startScriptedDns, until } from "@pay/testing";
import {
  aMerchant,
  paymentEvent,
  publish,
  startTestWebhooks,
  storedDeliveries,
  type TestWebhooks,
} from "./webhooks.ts";

let webhooks: TestWebhooks;
let canary: Server;
let port: number;
let seen = 0;
let dns: ScriptedDns;

beforeAll(async () => {
  canary = createServer(() => seen++);
  port = await new Promise<number>((resolve) => {
    canary.listen(0, "127.0.0.1", () => {
      const address = canary.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  dns = await startScriptedDns();
  webhooks = await startTestWebhooks({
    environment: { WEBHOOKS_ALLOW_HOSTS: "" },
    dnsServers: [dns.address],
  });
});
afterAll(async () => {
  canary.close();
  dns.stop();
  await webhooks?.stop();
});

test.each([
  ["https://127.0.0.1", "refused_url"],
  ["https://2130706433", "refused_url"],
  ["https://[::ffff:127.0.0.1]", "refused_url"],
  ["https://localhost", "refused_url"],
  ["http://127.0.0.1", "refused_url"],
])("%s is logged as an error without a connection", async (origin, error) => {
  const { merchantSees } = await deliver(`${origin}:${port}/hook`);
  expect(merchantSees).toMatchObject({ number: 1, error });
  expect(seen).toBe(0);
});

test("a name with a private address looks like a name without any to merchants, not to the operator", async () => {
  dns.answer("hook.example.com", { addresses: ["1.1.1.1", "127.0.0.1"] });
  const { merchantSees, operatorSees } = await deliver(`https://hook.example.com:${port}/hook`);
  expect(merchantSees).toMatchObject({ number: 1, error: "dns" });
  expect(operatorSees).toMatchObject({ error: "refused_address", remote_address: null });
  dns.answer("absent.example.com", { addresses: [] });
  const absent = await deliver(`https://absent.example.com:${port}/hook`);
  expect(absent.merchantSees).toMatchObject({ number: 1, error: "dns" });
  expect(seen).toBe(0);
});

async function deliver(url: string) {
  const { projectId, endpointId } = await aMerchant(webhooks, url);
  const [eventId = ""] = await publish(webhooks.bus, paymentEvent(projectId));
  // A second attempt may have followed by now; the first one is judged.
  await until(async () => ((await storedDeliveries(webhooks, eventId))[0]?.attempts ?? 0) >= 1);
  const { deliveries } = await webhooks.client.listDeliveries({
    tenant: { projectId, mode: 1 },
    endpointId,
    page: { page: 1, limit: 10, after: "" },
  });
  const { rows } = await webhooks.pool.query(
    "select error, remote_address from attempts join deliveries on id = delivery_id where event_id = $1 order by number",
    [eventId],
  );
  return { merchantSees: deliveries[0]?.attempts[0], operatorSees: rows[0] };
}
