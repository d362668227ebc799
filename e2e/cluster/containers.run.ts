// The merchant's story through the images that are shipped, in containers of a docker daemon. NODE_IMAGE names their
// base.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SERVICE_NAMES, type ServiceName } from "@pay/standalone";
import { type Merchant, openShop } from "../harness/merchant.ts";
import { runStory } from "../story/story.ts";
import { type Containers, startContainers } from "./containers.ts";

/** Lists the package managers and Prisma command lines that a container has. */
const LOOK = `
  const { existsSync, globSync, writeFileSync } = require("node:fs");
  const written = () => {
    try { writeFileSync("/app/service/new.js", ""); return "written"; } catch ({ code }) { return code; }
  };
  const installers = [
    ...process.env.PATH.split(":").flatMap((folder) => globSync(folder + "/{npm,npx,corepack,yarn,pnpm,prisma}")),
    ...globSync("/app/node_modules/{prisma,@prisma/engines,npm}"),
    ...globSync("/usr/local/lib/node_modules/*"),
  ];
  const migrates = existsSync("/app/service/migrate.js");
  console.log(JSON.stringify({ uid: process.getuid(), written: written(), migrates, installers }));`;

describe("in containers", () => {
  let containers: Containers;
  let shop: Merchant;

  beforeAll(async () => {
    containers = await startContainers();
    const headers = { "X-Forwarded-Proto": "https" };
    shop = await openShop(containers.credentials, { host: containers.outside.host, headers });
  }, 900_000);
  afterAll(async () => {
    await shop?.receiver.stop();
    await containers?.stop();
  });

  test("a payment is created, paid, proven and reported by webhook by the built images", async () => {
    const { paymentId, status } = await runStory({
      ...containers.credentials,
      developmentRpcUrl: containers.outside.rpcUrl,
    });
    expect(status).toBe("confirmed");
    for (const type of ["payment.created", "payment.processing", "payment.confirmed"]) {
      expect((await shop.waitForDelivery(type, paymentId)).body).toMatchObject({ id: paymentId });
    }
  });

  test("the gateway's image holds the interface's page, all its parts and its description", async () => {
    const { baseUrl } = containers.credentials;
    const headers = { "X-Forwarded-Proto": "https" };
    function get(path: string) {
      return fetch(new URL(path, `${baseUrl}/docs`), { headers });
    }

    const page = await get("/docs");
    expect([page.status, page.headers.get("Content-Type")]).toEqual([
      200,
      expect.stringContaining("text/html"),
    ]);
    const parts = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, at]) => at);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect([part, (await get(`${part}`)).status]).toEqual([part, 200]);
    const described = await shop.api.get("/v1/openapi.json");
    expect(described.status).toBe(200);
    expect(Object.keys(described.body.paths)).toContain("/v1/payments/{id}/confirm");
  });

  test.each(SERVICE_NAMES)(
    "%s runs as a number, writes nowhere, and can migrate but not install",
    async (name) => {
      const seen = JSON.parse(await containers.inside(name, LOOK));
      expect(seen).toEqual({ uid: 10_001, written: "EROFS", migrates: true, installers: [] });
    },
  );

  test("every command that the operator runs in a pod is in its image", async () => {
    const page = readFileSync("docs/operations.md", "utf8");
    const commands = [...page.matchAll(/deploy\/pay-(\w+) -- node (\S+)/g)];
    expect(commands.length).toBeGreaterThan(4);
    for (const [command, name, file] of commands) {
      const script = `console.log(require("node:fs").existsSync(${JSON.stringify(file)}))`;
      const said = await containers.inside(name as ServiceName, script);
      expect([command, said.trim()]).toEqual([command, "true"]);
    }
  });

  test("what came over plain http is refused behind a proxy that says so", async () => {
    const plain = { "X-Forwarded-Proto": "http" };
    expect((await shop.api.get("/v1/payments", plain)).status).toBe(403);
  });
});
