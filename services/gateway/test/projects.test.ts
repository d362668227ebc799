import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { describeWithPostgres, until } from "@pay/testing";
import { refusal, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

describeWithPostgres("the project", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  beforeEach(async () => {
    shop = await gateway.addProject();
  });
  afterAll(() => gateway.stop());

  const headers = () => ({ "x-secret-key": shop.secret });
  const get = () => gateway.ask("GET", "/v1/projects/me", { headers: headers() });
  const put = (body: unknown) =>
    gateway.ask("PUT", "/v1/projects/me", { headers: headers(), body });
  const eventsOf = async (count: number) =>
    until(
      () => {
        const own = gateway.events.filter(({ projectId }) => projectId === shop.id);
        return own.length >= count && own;
      },
      { timeoutMs: 10_000, what: `${count} events` },
    );

  test("shows every documented field, null where nothing was set", async () => {
    expect((await get()).body).toEqual({
      id: shop.id,
      name: "Shop",
      callbackUrl: null,
      allowedOrigins: [],
      brandingConfig: null,
    });
  });

  test("keeps what is changed and tells it once, whole", async () => {
    const branding = {
      primaryColor: "#A1b2C3",
      logoUrl: "https://cdn.example/l.png",
      theme: "dark",
    };
    const saved = await put({
      name: "Cafe\u0301 Zoe\u0308",
      branding,
      allowedOrigins: ["https://Shop.example/", "http://localhost:3000"],
      callbackUrl: "https://hooks.shop.example/pay?a=1",
      paymentLifetimeMinutes: 45,
      id: "proj_other",
      unknown: true,
    });
    expect(saved).toMatchObject({ status: 200 });
    expect(saved.body).toEqual({
      id: shop.id,
      name: "Caf\u00e9 Zo\u00eb",
      callbackUrl: "https://hooks.shop.example/pay?a=1",
    });
    expect((await get()).body).toMatchObject({
      brandingConfig: branding,
      allowedOrigins: ["https://shop.example", "http://localhost:3000"],
    });
    const [created, updated] = await eventsOf(2);
    expect(created).toMatchObject({ type: "project.created", sequence: 1 });
    expect(updated).toMatchObject({ type: "project.updated", sequence: 2, resourceId: shop.id });
    expect(updated?.resource.value).toMatchObject({
      callbackUrl: "https://hooks.shop.example/pay?a=1",
      paymentLifetimeMinutes: 45,
      version: 2,
    });
  });

  test("an absent field stays, null takes a value away", async () => {
    await put({ callbackUrl: "https://hooks.shop.example/", branding: { theme: "light" } });
    await put({ name: "New" });
    expect((await get()).body).toMatchObject({
      name: "New",
      callbackUrl: "https://hooks.shop.example/",
    });
    await put({ callbackUrl: null, branding: null });
    expect((await get()).body).toMatchObject({ callbackUrl: null, brandingConfig: null });
  });

  test("a change that changes nothing makes no news", async () => {
    await put({ name: "Changed" });
    for (const body of [{}, { name: "Changed" }, { unknown: 1 }]) {
      expect((await put(body)).status).toBe(200);
    }
    await put({ name: "Again" });
    const events = await eventsOf(3);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  test("a test key changes nothing that live traffic depends on", async () => {
    const headers = { "x-secret-key": shop.testSecret };
    const putTest = (body: object) => gateway.ask("PUT", "/v1/projects/me", { headers, body });
    const before = (await get()).body;
    const changes: [object, string][] = [
      [{ callbackUrl: "https://evil.example/" }, "callbackUrl"],
      [{ callbackUrl: null }, "callbackUrl"],
      [{ allowedOrigins: ["https://evil.example"] }, "allowedOrigins"],
      [{ allowedOrigins: [] }, "allowedOrigins"],
      [{ paymentLifetimeMinutes: 5 }, "paymentLifetimeMinutes"],
      [{ name: "New", callbackUrl: null, allowedOrigins: [] }, "callbackUrl, allowedOrigins"],
    ];
    for (const [body, names] of changes) {
      const message = `${names} can only be changed with a live key`;
      expect((await putTest(body)).body).toEqual(refusal(403, "Forbidden", message));
    }
    expect((await get()).body).toEqual(before);
    expect((await putTest({ name: "Tried out" })).body).toMatchObject({ name: "Tried out" });
  });

  test("parallel changes all take effect, one after the other", async () => {
    const changes = [
      { name: "A" },
      { callbackUrl: "https://b.example/" },
      { branding: { theme: "dark" } },
    ];
    for (const { status } of await Promise.all(changes.map(put))) expect(status).toBe(200);
    expect((await get()).body).toMatchObject({
      name: "A",
      callbackUrl: "https://b.example/",
      brandingConfig: { theme: "dark" },
    });
    const events = await eventsOf(4);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  test.each([
    [{ name: "" }, /^name must be/],
    [{ name: "x".repeat(101) }, /^name must be/],
    [{ name: "a\u0007b" }, /^name must be/],
    [{ name: 7 }, /^name must be/],
    [{ branding: { primaryColor: "red;}" } }, /^branding.primaryColor must be a color/],
    [{ branding: { primaryColor: "#GGGGGG" } }, /^branding.primaryColor must be a color/],
    [{ branding: { css: "x" } }, /^branding must be an object with no keys but/],
    [{ branding: { logoUrl: "http://a.example" } }, /^branding.logoUrl must be an https URL/],
    [{ branding: { logoUrl: "javascript:alert(1)" } }, /^branding.logoUrl must be an https URL/],
    [{ branding: "x" }, /^branding must be/],
    [{ allowedOrigins: ["*"] }, /^allowedOrigins.0 must be an origin/],
    [{ allowedOrigins: ["null"] }, /^allowedOrigins.0 must be an origin/],
    [{ allowedOrigins: ["https://a.example/path"] }, /^allowedOrigins.0 must be an origin/],
    [{ allowedOrigins: "https://a.example" }, /^allowedOrigins must be an array/],
    [{ allowedOrigins: Array(51).fill("https://a.example") }, /^allowedOrigins must be an array/],
    [{ callbackUrl: "http://a.example" }, /^callbackUrl must use https$/],
    [{ callbackUrl: "https://u:p@a.example" }, /^callbackUrl must not contain a user name/],
    [{ callbackUrl: "https://127.1" }, /^callbackUrl must name a public host$/],
    [{ callbackUrl: "https://[::ffff:10.0.0.1]" }, /^callbackUrl must name a public host$/],
    [{ callbackUrl: "https://2130706433" }, /^callbackUrl must name a public host$/],
    [{ callbackUrl: "https://a.example:22" }, /^callbackUrl must use port 443/],
    [{ callbackUrl: "https://a.example/#x" }, /^callbackUrl must not contain a fragment$/],
    [{ callbackUrl: `https://a.example/${"x".repeat(5_000)}` }, /^callbackUrl must be at most/],
    [{ callbackUrl: 1 }, /^callbackUrl must be an https URL or null$/],
    [{ paymentLifetimeMinutes: 4 }, /^paymentLifetimeMinutes must be an integer from 5 to 1440$/],
  ])("%j is refused", async (body, message) => {
    const answer = await put(body);
    expect(answer.body).toEqual(refusal(400, "Bad Request", expect.stringMatching(message)));
    expect((await get()).body.name).toBe("Shop");
  });

  test("all faults are told at once", async () => {
    const { body } = await put({ name: "", allowedOrigins: 1, paymentLifetimeMinutes: "5" });
    expect(body.message.split("; ").map((fault: string) => fault.split(" ")[0])).toEqual([
      "name",
      "allowedOrigins",
      "paymentLifetimeMinutes",
    ]);
  });
});
