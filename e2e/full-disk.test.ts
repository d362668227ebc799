// The disk under payments' tables is full. They lie in a tablespace on a small file system of its own, which needs the
// right to mount one.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeUnless, describeWithKafka, until } from "@pay/testing";
import type { Answer } from "./harness/api.ts";
import { type Cluster, startCluster } from "./harness/distributed.ts";
import { type Merchant, openShop, RECIPIENT } from "./harness/merchant.ts";
import { mountSmallDisk } from "./harness/small-disk.ts";

const SIZE = "96m";
/** What is left free: some lists of creations find room before the disk is full. */
const ROOM_BYTES = 1 << 20;
const CREATIONS_MAX = 4_000;
const TOGETHER = 16;

const disk = mountSmallDisk(SIZE);
const missing = disk === undefined ? "no file system can be mounted here" : undefined;

describeUnless(missing, "on a full disk", () => {
  describeWithKafka("with Kafka", () => {
    let cluster: Cluster;
    let shop: Merchant;

    beforeAll(async () => {
      if (disk === undefined) throw new Error(missing);
      const { folder } = disk;
      cluster = await startCluster({}, { disk: { folder, services: ["payments"] } });
      shop = await openShop(cluster.credentials);
    });
    afterAll(async () => {
      await shop?.receiver.stop();
      await cluster?.stop();
      disk?.remove();
    });

    function create(): Promise<Answer> {
      return shop.api.post("/v1/payments", {
        amount: "1.5",
        chainId: shop.api.credentials.chainId,
        currency: "native",
        recipientAddress: RECIPIENT,
        description: "x".repeat(400),
      });
    }

    /** A machine with too much to do may answer 503 once. */
    function isThere(id: string) {
      return until(async () => (await shop.api.get(`/v1/payments/${id}`)).status === 200, {
        what: `the acknowledged payment ${id}`,
      });
    }

    test("creations are refused with 503, and nothing acknowledged is lost when there is room again", async () => {
      expect((await create()).status).toBe(201);
      disk?.fill(ROOM_BYTES);
      const acknowledged: string[] = [];
      const refused: Answer[] = [];
      for (let sent = 0; refused.length === 0 && sent < CREATIONS_MAX; sent += TOGETHER) {
        for (const answer of await Promise.all(Array.from({ length: TOGETHER }, create))) {
          if (answer.status === 201) acknowledged.push(answer.body.id);
          // A slow disk is not a full one yet.
          else if (answer.status !== 504) refused.push(answer);
        }
      }
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
      expect(refused[0]?.headers.get("Retry-After")).toBe("1");
      expect(acknowledged.length).toBeGreaterThan(0);
      await isThere(acknowledged[0] ?? "");

      disk?.makeRoom();
      const after = await until(
        async () => {
          const answer = await create();
          return answer.status === 201 && String(answer.body.id);
        },
        { what: "a creation when there is room again" },
      );
      for (const id of [...acknowledged, after]) {
        await isThere(id);
        expect(await shop.waitForDelivery("payment.created", id)).toBeDefined();
      }
    });
  });
});
