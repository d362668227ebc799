// The product behind PgBouncer in transaction mode: sessions of the server are shared, so nothing is set for a session
// and no statement stays prepared.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SERVICE_NAMES, type ServiceName } from "@pay/standalone";
import { describeUnless, describeWithKafka, until } from "@pay/testing";
import pg from "pg";
import { type Cluster, startCluster } from "./harness/distributed.ts";
import { extractBlocks } from "./harness/documents.ts";
import { createPayment, type Merchant, openShop } from "./harness/merchant.ts";
import { missingPgBouncer, type PgBouncer, startPgBouncer } from "./harness/pgbouncer.ts";
import { asSuperuser } from "./harness/superuser.ts";
import { runStory } from "./story/story.ts";

const missing = missingPgBouncer();

describeUnless(missing && `no ${missing}`, "behind a pooler of transactions", () => {
  describeWithKafka("with Kafka", () => {
    let cluster: Cluster;
    let pooler: PgBouncer;
    let shop: Merchant;

    const direct = new Map<ServiceName, string>();

    function variable(name: ServiceName) {
      return `${name.toUpperCase()}_DATABASE_URL`;
    }

    async function restart(name: ServiceName): Promise<void> {
      await cluster.product.children.get(name)?.stop();
      await cluster.product.restart(name);
    }

    beforeAll(async () => {
      cluster = await startCluster();
      const { environment } = cluster.product;
      for (const name of SERVICE_NAMES) direct.set(name, environment[variable(name)] ?? "");
      for (const name of SERVICE_NAMES) {
        await asSuperuser(
          cluster,
          name,
          `alter role ${name} set statement_timeout = '5s'`,
          `alter role ${name} set lock_timeout = '3s'`,
          `alter role ${name} set idle_in_transaction_session_timeout = '60s'`,
          `alter role ${name} set plan_cache_mode = '${name === "webhooks" ? "auto" : "force_generic_plan"}'`,
        );
      }
      pooler = await startPgBouncer([...direct.values()]);
      for (const [name, address] of direct) {
        environment[variable(name)] = pooler.pooledAddress(address);
        await restart(name);
      }
      shop = await openShop(cluster.credentials);
    }, 400_000);
    afterAll(async () => {
      await shop?.receiver.stop();
      await cluster?.stop();
      await pooler?.stop();
    });

    test("a payment is created, paid, proven and reported by webhook", async () => {
      const story = { ...cluster.credentials, developmentRpcUrl: cluster.credentials.chainRpcUrl };
      const { paymentId, status } = await runStory(story);
      expect(status).toBe("confirmed");
      for (const type of ["payment.created", "payment.processing", "payment.confirmed"]) {
        expect((await shop.waitForDelivery(type, paymentId)).body).toMatchObject({
          id: paymentId,
        });
      }
    });

    test("every session of the server has the bounds of its role", async () => {
      for (const name of SERVICE_NAMES) {
        const { rows } = await asSuperuser(
          cluster,
          name,
          `select count(*)::int as sessions from pg_stat_activity where usename = '${name}'`,
        );
        expect(rows[0].sessions).toBeLessThanOrEqual(5);
      }
      // A statement that runs longer than the role may ends by itself.
      const url = new URL(cluster.product.environment.PAYMENTS_DATABASE_URL ?? "");
      url.search = "";
      const client = new pg.Client(url.href);
      await client.connect();
      await expect(client.query("select pg_sleep(20)")).rejects.toMatchObject({ code: "57014" });
      await client.end();
    });

    test("a second role takes over from one whose password is to be changed, by the guide's statements", async () => {
      const guide = extractBlocks("docs/operations.md", "sql").find((block) =>
        block.includes("_2"),
      );
      const statements = `${guide}`.split("\n").filter((line) => line !== "");
      await asSuperuser(cluster, "payments", ...statements);
      const { environment } = cluster.product;
      const url = new URL(direct.get("payments") ?? "");
      Object.assign(url, { username: "payments_2", password: "..." });
      environment[variable("payments")] = url.href;
      await restart("payments");
      await asSuperuser(cluster, "payments", "alter role payments nologin");
      const made = () => createPayment(shop.api).catch(() => undefined);
      await until(made, { what: "a payment by the second role" });
      const client = new pg.Client(url.href.replace(/\?.*/, ""));
      await client.connect();
      await client.query("create table made_by_the_second ()");
      await client.end();
      const { rows } = await asSuperuser(
        cluster,
        "payments",
        "select tableowner from pg_tables where tablename = 'made_by_the_second'",
      );
      expect(rows).toEqual([{ tableowner: "payments" }]);
    });

    test("a service whose role has no bounds says so and does not become ready", async () => {
      await asSuperuser(cluster, "customers", "alter role customers reset all");
      await cluster.product.children.get("customers")?.stop();
      await asSuperuser(
        cluster,
        "customers",
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'customers'",
      );
      const starting = cluster.product.restart("customers").catch(() => undefined);
      const wanted =
        /database customers is reached through a pooler, and its role has no bounds: alter role … set .*statement_timeout/;
      await until(() => cluster.log().some((line) => wanted.test(line)), {
        what: "the line that names the bounds",
      });
      await asSuperuser(
        cluster,
        "customers",
        "alter role customers set statement_timeout = '5s'",
        "alter role customers set lock_timeout = '3s'",
        "alter role customers set idle_in_transaction_session_timeout = '60s'",
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'customers'",
      );
      expect(await starting).toBeDefined();
    });
  });
});
