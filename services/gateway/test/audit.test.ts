// The audit log and the request log: which requests they have, what of them, and who may read it.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { createLog, systemClock } from "@pay/process";
import { describeWithPostgres, until } from "@pay/testing";
import { newId } from "@pay/values";
import { createTrail } from "../src/audit/trail.ts";
import { describeRequest } from "../src/request-logs/describe-request.ts";
import { createRequestQueue } from "../src/request-logs/queue.ts";
import { startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import { createMembers } from "./members.ts";

const KEYS = "/v1/projects/me/keys";
const ME = "/v1/projects/me";

describeWithPostgres("the audit log", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  let rival: TestProject;
  const { signIn, as } = createMembers(
    () => gateway,
    () => shop,
  );
  beforeAll(async () => {
    gateway = await startTestGateway();
    [shop, rival] = [await gateway.addProject(), await gateway.addProject()];
  });
  afterAll(() => gateway?.stop());

  function ask(method: string, path: string, body?: object, key = shop.secret, more = {}) {
    const headers = { "x-secret-key": key, ...more };
    return gateway.ask(method, path, { headers, ...(body && { body }) });
  }

  async function read(query = "", key = shop.secret) {
    const { status, body } = await ask("GET", `/v1/audit${query}`, undefined, key);
    expect(status).toBe(200);
    return body;
  }

  async function findKeyId(key: string) {
    const { body } = await ask("GET", KEYS, undefined, key);
    return body.data.find(({ last4 }: { last4: string }) => key.endsWith(last4)).id;
  }

  test("a change of settings names the key, its address, and both values of each field", async () => {
    const keyId = await findKeyId(shop.secret);
    const sso = { issuer: "https://login.example", audience: "shop-of-the-tests" };
    const change = { name: "Mugs", allowedOrigins: ["https://shop.example"], sso };
    const { status } = await ask("PUT", ME, change, shop.secret, { "x-request-id": "req-1" });
    expect(status).toBe(200);
    const { data, total } = await read(`?actor=${keyId}`);
    expect(total).toBe(1);
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^aud_[0-9A-Za-z]{24}$/),
        createdAt: expect.any(String),
        actor: { type: "key", id: keyId, name: null },
        action: "projects.update",
        targetId: shop.id,
        changes: expect.arrayContaining([
          { field: "name", before: "Shop", after: "Mugs" },
          { field: "allowedOrigins", before: [], after: ["https://shop.example"] },
          { field: "sso", before: null, after: null },
        ]),
        state: "done",
        statusCode: 200,
        errorCode: null,
        requestId: "req-1",
        clientAddress: "127.0.0.1",
      },
    ]);
    const { rows } = await gateway.pool.query("select * from audit_entries");
    expect(JSON.stringify(rows)).not.toContain("shop-of-the-tests");
    await ask("PUT", ME, change);
    expect((await read(`?actor=${keyId}`)).total).toBe(1);
  });

  test("a key that is made, rolled or revoked is recorded without itself, once per Idempotency-Key", async () => {
    const wanted = { type: "secret", mode: "live", scopes: ["audit:read"], name: "Reader" };
    const once = { "idempotency-key": "make-a-key" };
    const { body: made } = await ask("POST", KEYS, wanted, shop.secret, once);
    expect((await ask("POST", KEYS, wanted, shop.secret, once)).body).toEqual(made);
    const rolled = await ask("POST", `${KEYS}/${made.id}/roll`, { graceSeconds: 60 });
    await ask("DELETE", `${KEYS}/${rolled.body.id}`);
    const [created] = (await read(`?targetId=${made.id}&action=projects.keys.create`)).data;
    expect(created).toMatchObject({ statusCode: 201, action: "projects.keys.create" });
    expect(created.changes).toContainEqual({
      field: "scopes",
      before: null,
      after: ["audit:read"],
    });
    expect((await read(`?targetId=${made.id}`)).data).toMatchObject([
      { action: "projects.keys.roll" },
      { action: "projects.keys.create" },
    ]);
    expect((await read(`?targetId=${rolled.body.id}`)).data).toMatchObject([
      { action: "projects.keys.delete" },
    ]);
    const { rows } = await gateway.pool.query("select * from audit_entries");
    for (const { key } of [made, rolled.body]) expect(JSON.stringify(rows)).not.toContain(key);
  });

  test("all writes of members are recorded under their name, and their reads are not", async () => {
    const member = await signIn();
    const call = as(member);
    await call("GET", ME);
    const customer = { walletAddress: `0x${"1".repeat(40)}` };
    expect((await call("POST", "/v1/customers", customer)).status).toBe(503);
    expect((await call("PUT", ME, { name: "Cups" })).status).toBe(200);
    const { data } = await read(`?actor=${member.memberId}`);
    const actor = { type: "member", id: member.memberId, name: "Ane" };
    expect(data).toMatchObject([
      { actor, action: "projects.update", changes: [{ field: "name", after: "Cups" }] },
      {
        actor,
        action: "customers.create",
        targetId: null,
        changes: [{ field: "walletAddress", before: null, after: null }],
        state: "done",
        statusCode: 503,
        errorCode: "service_unavailable",
      },
    ]);
    const [bootstrap] = (await read(`?targetId=${member.memberId}`)).data;
    expect(bootstrap).toMatchObject({
      actor: { type: "operator", id: null },
      action: "members.bootstrap",
      clientAddress: null,
    });
  });

  test("keys leave entries where money can leave, and none for payments and customers", async () => {
    const { id } = await gateway.addKey(shop.id, { type: "secret" });
    const { text } = await gateway.addKey(shop.id, { type: "secret" });
    const before = (await read()).total;
    const walletAddress = `0x${"1".repeat(40)}`;
    const order = { amount: "1", chainId: 1, currency: "native", recipientAddress: walletAddress };
    expect((await ask("POST", "/v1/customers", { walletAddress }, text)).status).toBe(503);
    expect((await ask("POST", "/v1/payments", order, text)).status).toBe(503);
    await ask("POST", `/v1/payments/pay_${"A".repeat(24)}/cancel`, undefined, text);
    expect((await read()).total).toBe(before);
    const refund = { paymentId: `pay_${"A".repeat(24)}`, amount: "1", reason: "Zoe's mug" };
    expect((await ask("POST", "/v1/refunds", refund, text)).status).toBe(503);
    const [entry] = (await read()).data;
    expect(entry).toMatchObject({
      action: "refunds.create",
      errorCode: "service_unavailable",
      changes: [
        { field: "amount", after: "1" },
        { field: "reason", before: null, after: null },
        { field: "paymentId", after: refund.paymentId },
      ],
    });
    expect((await read(`?actor=${id}`)).total).toBe(0);
  });

  test("a request to another service is there before its answer, and a repetition leaves nothing", async () => {
    const target = `stl_${"B".repeat(24)}`;
    const request = {
      projectId: shop.id,
      mode: "live",
      actor: "operator",
      action: "settlements.approve",
      targetId: target,
      requestId: "req-2",
      address: null,
      fields: {},
      success: 200,
    } as const;
    const log = createLog("gateway", "silent");
    function trail() {
      return createTrail({ pool: gateway.pool, clock: systemClock, log }, request);
    }

    async function states() {
      const { data } = await read(`?targetId=${target}`);
      return data.map(({ state, statusCode, errorCode }: Record<string, unknown>) => [
        state,
        statusCode,
        errorCode,
      ]);
    }

    const during = trail().follow(async () => ({ seen: await states() }));
    expect(await during).toEqual({ seen: [["asked", null, null]] });
    expect(await states()).toEqual([["done", 200, null]]);
    const refusal = new Failure("settlement_own_request", "Not with this key");
    const refused = trail().follow(() => Promise.reject(refusal));
    await expect(refused).rejects.toBe(refusal);
    const repeated = trail();
    await repeated.follow(async () => {
      repeated.noteReplay();
      return {};
    });
    expect(await states()).toEqual([
      ["done", 403, "settlement_own_request"],
      ["done", 200, null],
    ]);
  });

  test("entries are of one project and one mode, and need audit:read", async () => {
    expect(await read("", rival.secret)).toMatchObject({ data: [], total: 0 });
    const own = await read();
    expect(own.total).toBeGreaterThan(5);
    expect((await read("", shop.testSecret)).data).toEqual([]);
    const [{ id }] = own.data;
    const stolen = await ask("GET", `/v1/audit?after=${id}`, undefined, rival.secret);
    expect(stolen.headers["x-error-code"]).toBe("cursor_unknown");
    const { text } = await gateway.addKey(shop.id, { type: "secret", scopes: ["payments:read"] });
    const refused = await ask("GET", "/v1/audit", undefined, text);
    expect(refused.headers["x-error-code"]).toBe("scope_missing");
    const reader = await gateway.addKey(shop.id, { type: "secret", scopes: ["audit:read"] });
    expect((await read("", reader.text)).total).toBe(own.total);
  });

  test("a list goes on after its last entry, and between two times", async () => {
    const { data: all } = await read("?limit=100");
    const { data: first } = await read("?limit=2");
    const { data: rest } = await read(`?limit=100&after=${first[1].id}`);
    expect([...first, ...rest]).toEqual(all);
    const { createdAt } = all.at(-1);
    expect((await read(`?to=${createdAt}`)).total).toBe(0);
    expect((await read(`?from=${createdAt}`)).total).toBe(all.length);
  });

  test("entries are kept for 400 days", async () => {
    const { rows } = await gateway.pool.query(
      "select span_hours * kept / 24 as days from time_partitions where table_name = 'audit_entries'",
    );
    expect(rows[0].days).toBeGreaterThanOrEqual(400);
    expect(rows[0].days).toBeLessThan(410);
  });

  async function readLog(query = "", key = shop.secret) {
    const { status, body } = await ask("GET", `/v1/request-logs${query}`, undefined, key);
    expect(status).toBe(200);
    return body;
  }

  /** The log is written a moment after the answer. */
  function waitForLog(requestId: string, key = shop.secret) {
    return until(
      async () => {
        const { data } = await readLog(`?requestId=${requestId}`, key);
        return data.length > 0 && data;
      },
      { what: `request ${requestId} in the log` },
    );
  }

  test("the request log has writes and failed requests by their ids, and nothing that was sent", async () => {
    const keyId = await findKeyId(shop.secret);
    const id = `pay_${"C".repeat(24)}`;
    await ask("GET", ME, undefined, shop.secret, { "x-request-id": "log-read" });
    await ask("PUT", ME, { name: "Bowls" }, shop.secret, { "x-request-id": "log-write" });
    const failing = { "x-request-id": "log-failed" };
    await ask("GET", `/v1/payments/${id}?expand=nonsense`, undefined, shop.secret, failing);
    await ask("GET", `/v1/payments/${shop.testSecret}`, undefined, shop.secret, {
      "x-request-id": "log-secret",
    });
    expect(await waitForLog("log-failed")).toEqual([
      {
        id: expect.stringMatching(/^log_[0-9A-Za-z]{24}$/),
        createdAt: expect.any(String),
        actor: { type: "key", id: keyId, name: null },
        method: "GET",
        route: "/v1/payments/{id}",
        path: `/v1/payments/${id}`,
        statusCode: 400,
        errorCode: "field_invalid",
        durationMs: expect.any(Number),
        requestId: "log-failed",
      },
    ]);
    expect(await waitForLog("log-write")).toMatchObject([
      { method: "PUT", path: ME, statusCode: 200, errorCode: null },
    ]);
    expect(await waitForLog("log-secret")).toMatchObject([
      { path: "/v1/payments/{id}", statusCode: 404 },
    ]);
    expect((await readLog("?requestId=log-read")).data).toEqual([]);
    const { rows } = await gateway.pool.query("select * from request_logs");
    const kept = JSON.stringify(rows);
    for (const sent of ["nonsense", "Bowls", shop.testSecret]) expect(kept).not.toContain(sent);
  });

  test("the request log is filtered, and is of one project, one mode and whoever has logs:read", async () => {
    const member = await signIn();
    const call = as(member, { "x-request-id": "log-member" });
    expect((await call("POST", "/v1/refunds", {})).status).toBe(400);
    await ask("GET", "/v1/payments?status=x", undefined, shop.testSecret, {
      "x-request-id": "log-test",
    });
    const [entry] = await waitForLog("log-member");
    const actor = { type: "member", id: member.memberId, name: "Ane" };
    expect(entry).toMatchObject({ actor, path: "/v1/refunds", errorCode: "field_invalid" });
    for (const filter of [
      "status=4xx,5xx&path=/v1/refunds",
      "errorCode=field_invalid&method=POST",
      `actor=${member.memberId}`,
      `from=${entry.createdAt}&status=4xx`,
    ]) {
      const { data } = await readLog(`?${filter}`);
      expect(data.map(({ requestId }: { requestId: string }) => requestId)).toContain("log-member");
    }
    for (const filter of [
      "status=2xx,5xx",
      "method=PUT",
      "path=/v1/refunds/{id}",
      "actor=operator",
    ]) {
      const { data } = await readLog(`?requestId=log-member&${filter}`);
      expect(data).toEqual([]);
    }
    const first = await readLog("?limit=1");
    const [{ id }] = first.data;
    expect(first.total).toBeGreaterThan(3);
    const next = await readLog(`?limit=1&after=${id}`);
    expect(next.data[0].createdAt <= first.data[0].createdAt).toBe(true);
    expect(next.data[0].id).not.toBe(id);

    expect(await waitForLog("log-test", shop.testSecret)).toHaveLength(1);
    expect((await readLog("?requestId=log-test")).data).toEqual([]);
    expect(await readLog("?requestId=log-member", rival.secret)).toMatchObject({
      data: [],
      total: 0,
    });
    const stolen = await ask("GET", `/v1/request-logs?after=${id}`, undefined, rival.secret);
    expect(stolen.headers["x-error-code"]).toBe("cursor_unknown");
    const find = async (key: string) => {
      const { body } = await ask("GET", "/v1/search?q=log-member", undefined, key);
      return body.data;
    };
    const found = { kind: "request", id: "log-member", title: "POST /v1/refunds" };
    expect(await find(shop.secret)).toMatchObject([{ ...found, subtitle: "400, field_invalid" }]);
    expect(await find(rival.secret)).toEqual([]);
    const { text } = await gateway.addKey(shop.id, { type: "secret", scopes: ["payments:read"] });
    expect(await find(text)).toEqual([]);
    const refused = await ask("GET", "/v1/request-logs", undefined, text);
    expect(refused.headers["x-error-code"]).toBe("scope_missing");
  });

  test("a project that floods the request log leaves the others their share", async () => {
    const queue = createRequestQueue();
    function note(projectId: string, count: number, isVisitor = false) {
      for (let at = 0; at < count; at++) {
        const caller = { projectId, mode: "live", actor: "" } as const;
        const request = {
          method: "POST",
          route: "/v1/payments/{id}/confirm",
          params: { id: "x" },
          statusCode: 429,
          errorCode: "rate_limited",
          durationMs: 1,
          requestId: "log-flood",
          endedAt: new Date(),
        };
        queue.note(describeRequest(caller, request), { isVisitor });
      }
    }

    const [flood, other] = [newId("proj"), newId("proj")];
    note(flood, 2_000);
    note(other, 2_000, true);
    note(other, 1);
    async function count() {
      const { rows } = await gateway.pool.query(
        "select project_id, count(*)::int from request_logs where project_id = any($1) group by 1",
        [[flood, other]],
      );
      return Object.fromEntries(rows.map((row) => [row.project_id, row.count]));
    }

    await queue.write(gateway.pool);
    expect(await count()).toEqual({ [flood]: 250, [other]: 26 });
    note(flood, 1);
    await queue.write(gateway.pool);
    expect(await count()).toEqual({ [flood]: 251, [other]: 26 });
  });
});
