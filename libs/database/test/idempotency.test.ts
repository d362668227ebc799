import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createTestRuntime, type Life } from "@pay/process";
import { Failure } from "@pay/rpc";
import { describeWithPostgres, type TestDatabase, testDatabase, until } from "@pay/testing";
import {
  findAnswer,
  idempotencyScope,
  idempotently,
  idempotentRequest,
  purgeIdempotency,
  startIdempotencyPurge,
} from "../src/index.ts";

const NOW = new Date("2026-01-02T00:00:00.000Z");
const HOUR_MS = 60 * 60_000;

let keys = 0;
/** A request under a key nobody has used before. */
const aRequest = (fingerprint = "body") => ({
  scope: "proj:1:POST /v1/things",
  key: `key-${++keys}`,
  fingerprint: Buffer.from(fingerprint),
});

const bytes = (text: string) => async () => Buffer.from(text);

describeWithPostgres("idempotency", () => {
  let database: TestDatabase;
  let life: Life;
  beforeAll(async () => {
    database = await testDatabase("libs/database/test/sample");
    life = createTestRuntime("idempotency", { clock: { now: () => NOW } });
    await database.pool.query(`
      create table idempotency (
        scope text not null, key text not null, fingerprint bytea not null, response bytea not null,
        created_at timestamptz(3) not null default current_timestamp,
        constraint idempotency_pkey primary key (scope, key)
      );
      create table effects (name text not null)`);
  });
  afterAll(async () => {
    await life.stop();
    await database.drop();
  });

  const effects = async (name: string) => {
    const { rowCount } = await database.pool.query("select from effects where name = $1", [name]);
    return rowCount;
  };

  test("the same request again gets the same bytes, and the work is done once", async () => {
    const request = aRequest();
    const first = Buffer.from([0, 1, 2, 255, 254]);
    const work = async (answer: Buffer) =>
      idempotently(database.pool, request, async (tx) => {
        await tx.query("insert into effects values ($1)", [request.key]);
        return answer;
      });
    expect(await work(first)).toEqual({ response: first, replayed: false });
    const again = await work(Buffer.from("another answer"));
    expect(again.replayed).toBe(true);
    expect(Buffer.from(again.response)).toEqual(first);
    expect(await effects(request.key)).toBe(1);
  });

  test("an empty answer is an answer", async () => {
    const request = aRequest();
    await idempotently(database.pool, request, bytes(""));
    const again = await idempotently(database.pool, request, bytes("other"));
    expect([again.replayed, again.response.length]).toEqual([true, 0]);
  });

  test("the same key with another body is refused, whatever the first answer was", async () => {
    const request = aRequest();
    await idempotently(database.pool, request, bytes("1"));
    const other = { ...request, fingerprint: Buffer.from("other body") };
    const refused = { kind: "unprocessable" };
    await expect(idempotently(database.pool, other, bytes("2"))).rejects.toMatchObject(refused);
    await expect(findAnswer(database.pool, other)).rejects.toMatchObject(refused);
  });

  test("a lasting refusal undoes the work and is the answer from then on", async () => {
    const request = aRequest();
    const refuse = () =>
      idempotently(database.pool, request, async (tx) => {
        await tx.query("insert into effects values ($1)", [request.key]);
        throw new Failure("failed_precondition", "Payment is expired");
      });
    const refusal = { kind: "failed_precondition", message: "Payment is expired" };
    await expect(refuse()).rejects.toMatchObject({ ...refusal, replayed: false });
    expect(await effects(request.key)).toBe(0);
    const again = { ...refusal, replayed: true };
    await expect(idempotently(database.pool, request, bytes("1"))).rejects.toMatchObject(again);
    await expect(findAnswer(database.pool, request)).rejects.toMatchObject(again);
  });

  test("a refusal found by a broken statement is kept like any other", async () => {
    const request = aRequest();
    const refuse = idempotently(database.pool, request, async (tx) => {
      await tx.query("insert into effects values (null)").catch((cause: unknown) => {
        throw new Failure("invalid_argument", "name is required", { cause });
      });
      return Buffer.from("1");
    });
    await expect(refuse).rejects.toMatchObject({ kind: "invalid_argument" });
    await expect(findAnswer(database.pool, request)).rejects.toMatchObject({
      kind: "invalid_argument",
      message: "name is required",
    });
  });

  test("a fault of the moment is forgotten, and the next call is the first", async () => {
    for (const fault of [
      new Failure("unavailable", "gone"),
      new Failure("resource_exhausted", "slow down"),
      new Error("a bug"),
    ]) {
      const request = aRequest();
      const fail = idempotently(database.pool, request, async (tx) => {
        await tx.query("insert into effects values ($1)", [request.key]);
        throw fault;
      });
      await expect(fail).rejects.toBe(fault);
      expect(await effects(request.key)).toBe(0);
      const answer = await idempotently(database.pool, request, bytes("1"));
      expect(answer.replayed).toBe(false);
    }
  });

  test("while the first call runs, a second one is refused at once and does nothing", async () => {
    const request = aRequest();
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const first = idempotently(database.pool, request, async () => {
      begun.resolve();
      await mayEnd.promise;
      return Buffer.from("first");
    });
    await begun.promise;
    await expect(idempotently(database.pool, request, bytes("second"))).rejects.toMatchObject({
      kind: "already_exists",
      message: "A request with this Idempotency-Key is still running",
    });
    expect(await findAnswer(database.pool, request)).toBeUndefined();
    mayEnd.resolve();
    expect((await first).replayed).toBe(false);
    const after = await idempotently(database.pool, request, bytes("third"));
    expect(Buffer.from(after.response).toString()).toBe("first");
  });

  test("other keys do not wait for a running one", async () => {
    const begun = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const running = idempotently(database.pool, aRequest(), async () => {
      begun.resolve();
      await mayEnd.promise;
      return Buffer.from("1");
    });
    await begun.promise;
    const other = await idempotently(database.pool, aRequest(), bytes("2"));
    expect(other.replayed).toBe(false);
    mayEnd.resolve();
    await running;
  });

  test("one key is one per project, mode and route", () => {
    const scopes = [
      idempotencyScope({ projectId: "proj_a", mode: 1 }, "POST /v1/payments"),
      idempotencyScope({ projectId: "proj_b", mode: 1 }, "POST /v1/payments"),
      idempotencyScope({ projectId: "proj_a", mode: 2 }, "POST /v1/payments"),
      idempotencyScope({ projectId: "proj_a", mode: 1 }, "POST /v1/refunds"),
    ];
    expect(new Set(scopes).size).toBe(4);
  });

  test("a message without a key asks for nothing", () => {
    const tenant = { projectId: "proj_a", mode: 1 };
    const idempotency = { route: "POST /v1/things", key: "", fingerprint: Buffer.from("body") };
    expect(idempotentRequest(tenant, undefined)).toBeUndefined();
    expect(idempotentRequest(tenant, idempotency)).toBeUndefined();
    expect(idempotentRequest(tenant, { ...idempotency, key: "k" })).toMatchObject({ key: "k" });
  });

  const aged = async (hours: number) => {
    const request = aRequest();
    await idempotently(database.pool, request, bytes("1"));
    const at = new Date(NOW.getTime() - hours * HOUR_MS);
    await database.pool.query("update idempotency set created_at = $2 where key = $1", [
      request.key,
      at,
    ]);
    return request;
  };

  test("a key is forgotten after a day and not before, a bounded number at a time", async () => {
    const [old, older, fresh] = [await aged(24.1), await aged(25), await aged(23.9)];
    expect(await purgeIdempotency(database.pool, NOW, 1)).toBe(1);
    expect(await findAnswer(database.pool, older)).toBeUndefined();
    expect(await findAnswer(database.pool, old)).toBeDefined();
    expect(await purgeIdempotency(database.pool, NOW, 10)).toBe(1);
    expect(await findAnswer(database.pool, old)).toBeUndefined();
    expect(await findAnswer(database.pool, fresh)).toBeDefined();
  });

  test("a running service forgets by itself", async () => {
    const old = await aged(30);
    startIdempotencyPurge(database.database, life);
    await until(async () => (await findAnswer(database.pool, old)) === undefined, {
      what: "a forgotten key",
    });
  });
});
