// The shop's logo: read once when it is saved, and served to shoppers by this service alone.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres, type Receiver, startReceiver } from "@pay/testing";
import { startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

/** Each begins as an image of 64 × 64 pixels does. */
const PNG = Buffer.from("89504e470d0a1a0a0000000d4948445200000040000000400802000000", "hex");
const JPEG = Buffer.from("ffd8ffe000104a46494600010101006000600000ffc0001108004000400301", "hex");
const NO_IMAGE =
  "branding.logoUrl must lead to a PNG, JPEG or WebP image of at most 100 kB and 4 million pixels";

describeWithPostgres("a logo", () => {
  let gateway: TestGateway;
  let cdn: Receiver;
  let shop: TestProject;
  beforeAll(async () => {
    cdn = await startReceiver({ plain: true });
    gateway = await startTestGateway({
      env: { WEBHOOKS_ALLOW_HOSTS: "localhost", WEBHOOKS_ALLOW_HTTP: "1" },
    });
    shop = await gateway.addProject();
  });
  afterAll(async () => {
    await gateway?.stop();
    await cdn?.stop();
  });

  function save(branding: object | null, key?: string) {
    return gateway.ask("PUT", "/v1/projects/me", {
      headers: { "x-secret-key": shop.secret, ...(key && { "idempotency-key": key }) },
      body: { branding },
    });
  }

  function answerWith(body: Buffer | string, type = "image/png", status = 200) {
    cdn.respondWith({ status, body, headers: { "content-type": type } });
  }

  async function stored() {
    const { rows } = await gateway.pool.query(
      "select encode(digest, 'hex') as digest, type from logos where project_id = $1",
      [shop.id],
    );
    return rows[0] as { digest: string; type: string } | undefined;
  }

  function logoUrl() {
    return `${cdn.url}/logo`;
  }

  test("is read once, and served under a name of its content that browsers keep", async () => {
    answerWith(PNG);
    const asked = cdn.all.length;
    for (const replayed of [undefined, "true"]) {
      const saved = await save({ logoUrl: logoUrl() }, "logo");
      expect([saved.status, saved.headers["idempotent-replayed"]]).toEqual([200, replayed]);
      expect(saved.headers["x-service-warning"]).toBeUndefined();
    }
    expect(cdn.all.slice(asked).map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /logo",
    ]);
    const { digest, type } = (await stored()) ?? {};
    expect(type).toBe("image/png");
    const shown = await gateway.ask("GET", "/v1/projects/me?expand=logoUrl", {
      headers: { "x-secret-key": shop.secret },
    });
    expect(shown.body.logoUrl).toMatch(new RegExp(`/pay/logos/${digest}$`));
    const logo = await gateway.ask("GET", `/pay/logos/${digest}`);
    expect(logo.status).toBe(200);
    expect(logo.headers).toMatchObject({
      "content-type": "image/png",
      "content-length": String(PNG.length),
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
    expect(logo.headers["content-security-policy"]).toContain("default-src 'none'");
  });

  test("is the new one after a change, and gone when the project names none", async () => {
    answerWith(PNG);
    await save({ logoUrl: logoUrl() });
    const first = await stored();
    answerWith(JPEG, "text/plain");
    await save({ logoUrl: logoUrl() });
    const second = await stored();
    expect([second?.type, second?.digest === first?.digest]).toEqual(["image/jpeg", false]);
    await save({ theme: "dark" });
    expect(await stored()).toBeUndefined();
  });

  test.each([
    ["an SVG", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ["a page that calls itself an image", "<!doctype html>"],
    ["more than 100 kB", Buffer.concat([PNG, Buffer.alloc(100 * 1024)])],
  ])("is refused where it is %s, and the project stays as it was", async (_, body) => {
    answerWith(PNG);
    await save({ logoUrl: logoUrl(), displayName: "Before" });
    const before = await stored();
    answerWith(body);
    const refused = await save({ logoUrl: logoUrl(), displayName: "After" });
    expect([refused.status, refused.body.message]).toEqual([400, NO_IMAGE]);
    expect(await stored()).toEqual(before);
    const { body: project } = await gateway.ask("GET", "/v1/projects/me", {
      headers: { "x-secret-key": shop.secret },
    });
    expect(project.brandingConfig.displayName).toBe("Before");
  });

  test("that cannot be read now is saved with a warning, and the one before is shown no longer", async () => {
    answerWith(PNG);
    await save({ logoUrl: logoUrl() });
    answerWith("", "text/plain", 404);
    const missing = `${cdn.url}/missing`;
    const saved = await save({ logoUrl: missing });
    expect([saved.status, saved.headers["x-service-warning"]]).toEqual([
      200,
      "branding.logoUrl could not be read (it answered 404), so no logo is shown; save it again to try again",
    ]);
    expect(await stored()).toBeUndefined();
  });

  test.each(["https://10.0.0.1/logo.png", "https://metadata.internal/logo.png"])(
    "at %s is refused before anything is sent there",
    async (address) => {
      const refused = await save({ logoUrl: address });
      expect([refused.status, refused.body.message]).toEqual([
        400,
        expect.stringMatching(/^branding\.logoUrl must name a public host/),
      ]);
    },
  );

  test("is served at once while many ask for names that are not there", async () => {
    answerWith(PNG);
    await save({ logoUrl: logoUrl() });
    const { digest } = (await stored()) ?? {};
    function read(name: string) {
      return gateway.ask("GET", `/pay/logos/${name}`);
    }

    const names = Array.from({ length: 100 }, (_, at) => at.toString(16).padStart(64, "0"));
    const [found, ...absent] = await Promise.all([digest ?? "", ...names].map(read));
    expect([found?.status, found?.headers["content-type"]]).toEqual([200, "image/png"]);
    expect(new Set(absent.map(({ status }) => status))).toEqual(new Set([404]));
  });

  test("that does not exist is not found, whatever is asked for", async () => {
    for (const name of ["0".repeat(64), "x", "..%2f..%2fpackage.json"]) {
      expect(await gateway.ask("GET", `/pay/logos/${name}`)).toMatchObject({ status: 404 });
    }
  });
});
