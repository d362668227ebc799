import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { describeWithPostgres, type TestDatabase, testDatabase, until } from "@pay/testing";
import { forwardOnce } from "../src/index.ts";

let keys = 0;
function aRequest(fingerprint = "body") {
  return {
    scope: "proj:1:POST /v1/things/{id}/do",
    key: `key-${++keys}`,
    fingerprint: Buffer.from(fingerprint),
  };
}

type Request = ReturnType<typeof aRequest>;

describeWithPostgres("a call that is made once per key", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase("libs/idempotency/test/sample");
  });
  afterAll(() => database.drop());

  async function call(request: Request, work: () => Promise<Uint8Array>) {
    const { response, replayed } = await forwardOnce(database.pool, request, work);
    return { text: Buffer.from(response).toString(), replayed };
  }

  function says(text: string) {
    return async () => Buffer.from(text);
  }

  function fails(error: Error) {
    return () => Promise.reject(error);
  }

  const running = { errorCode: "idempotency_in_progress" };

  test("the same request again gets the same bytes, an empty answer too", async () => {
    for (const text of ["first", ""]) {
      const request = aRequest();
      expect(await call(request, says(text))).toEqual({ text, replayed: false });
      expect(await call(request, says("second"))).toEqual({ text, replayed: true });
    }
  });

  test("the same key with another body is refused, while the first call runs and after it", async () => {
    const request = aRequest();
    const other = { ...request, fingerprint: Buffer.from("other") };
    const refused = { errorCode: "idempotency_key_reused" };
    const first = call(request, async () => {
      await expect(call(other, says("2"))).rejects.toMatchObject(refused);
      return Buffer.from("1");
    });
    await first;
    await expect(call(other, says("2"))).rejects.toMatchObject(refused);
  });

  test("while the first call runs, a second one is refused and does nothing", async () => {
    const request = aRequest();
    let calls = 0;
    async function count() {
      calls++;
      return Buffer.from("other");
    }

    await call(request, async () => {
      await expect(call(request, count)).rejects.toMatchObject(running);
      return Buffer.from("first");
    });
    expect(calls).toBe(0);
  });

  test("a lasting refusal is the answer from then on", async () => {
    const request = aRequest();
    const refusal = { errorCode: "payment_expired", message: "Payment is expired" };
    const refuse = fails(new Failure("payment_expired", refusal.message));
    await expect(call(request, refuse)).rejects.toMatchObject({ ...refusal, replayed: false });
    await expect(call(request, says("1"))).rejects.toMatchObject({ ...refusal, replayed: true });
  });

  test("a fault of the moment is forgotten, and the next call is the first", async () => {
    for (const fault of [new Failure("service_unavailable", "gone"), new Error("a bug")]) {
      const request = aRequest();
      await expect(call(request, fails(fault))).rejects.toBe(fault);
      expect(await call(request, says("1"))).toEqual({ text: "1", replayed: false });
    }
  });

  test("a call whose owner died is made again after a while, by the same request alone", async () => {
    const request = aRequest();
    const died = new Promise<Uint8Array>(() => {});
    void call(request, () => died);
    function age(time: string) {
      return database.pool.query(
        `update idempotency_keys set created_at = now() - $2::interval where key = $1 returning 1`,
        [request.key, time],
      );
    }

    await until(async () => (await age("40 seconds")).rowCount === 1, { what: "the key's row" });
    await expect(call(request, says("1"))).rejects.toMatchObject(running);
    await age("61 seconds");
    const other = { ...request, fingerprint: Buffer.from("other") };
    await expect(call(other, says("2"))).rejects.toMatchObject({
      errorCode: "idempotency_key_reused",
    });
    expect(await call(request, says("1"))).toEqual({ text: "1", replayed: false });
  });
  async function loseOwner({ key }: Request) {
    await database.pool.query(
      "update idempotency_keys set created_at = created_at - interval '2 minutes' where key = $1",
      [key],
    );
    // Two claims differ in their millisecond, and the next one is not a minute later here.
    const isLater = `
      select from idempotency_keys where key = $1 and created_at + interval '2 minutes 2 milliseconds' < clock_timestamp()`;
    await until(async () => (await database.pool.query(isLater, [key])).rowCount === 1);
  }

  test("an owner that counted as dead answers what was answered in its place", async () => {
    const request = aRequest();
    const slow = await call(request, async () => {
      await loseOwner(request);
      expect(await call(request, says("second"))).toEqual({ text: "second", replayed: false });
      return Buffer.from("first");
    });
    expect(slow).toEqual({ text: "second", replayed: true });
    expect(await call(request, says("third"))).toEqual({ text: "second", replayed: true });
  });

  test("an owner that counted as dead cannot take back another's claim", async () => {
    const request = aRequest();
    const died = new Promise<Uint8Array>(() => {});
    const slow = call(request, async () => {
      await loseOwner(request);
      const begun = Promise.withResolvers<void>();
      void call(request, () => {
        begun.resolve();
        return died;
      });
      await begun.promise;
      throw new Failure("service_unavailable", "gone");
    });
    await expect(slow).rejects.toMatchObject({ errorCode: "service_unavailable" });
    await expect(call(request, says("third"))).rejects.toMatchObject(running);
  });
});
