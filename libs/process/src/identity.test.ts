import { expect, test } from "@jest/globals";
import { z } from "zod";
import { readConfig } from "./config.ts";
import { readIdentity, toIdentity, withCallerTokens } from "./identity.ts";

const [OLD, NEXT] = ["o".repeat(32), "n".repeat(32)];

test("a process shows the first of its tokens and knows all of each caller's", () => {
  const env = { PAYMENTS_CALLER_TOKENS: `${NEXT}, ${OLD}`, GATEWAY_CALLER_TOKENS: OLD };
  expect(readIdentity("payments", ["payments", "gateway"], env)).toEqual({
    token: NEXT,
    callers: { payments: [NEXT, OLD], gateway: [OLD] },
  });
});

test("a process that calls no other has no token of its own", () => {
  const env = { GATEWAY_CALLER_TOKENS: OLD };
  expect(readIdentity("customers", ["gateway"], env)).toEqual({
    token: undefined,
    callers: { gateway: [OLD] },
  });
});

test("the folder of certificates is part of the identity", () => {
  expect(readIdentity("gateway", [], { RPC_TLS_DIR: "/etc/pay/rpc" })).toMatchObject({
    tlsDir: "/etc/pay/rpc",
  });
});

test("a process that checks no caller knows none", () => {
  expect(toIdentity("gateway", {})).toEqual({ token: undefined, callers: {} });
});

test("missing or short tokens are reported by name with all other faults, never by value", () => {
  const schema = withCallerTokens(z.object({ SHOP_ADDRESS: z.string() }), ["gateway", "refunds"]);
  function read(env: Record<string, string>) {
    return () => readConfig(schema, env);
  }

  expect(read({ REFUNDS_CALLER_TOKENS: `${OLD},s3cret` })).toThrow(
    "configuration is not usable: SHOP_ADDRESS is required; GATEWAY_CALLER_TOKENS is required; " +
      "REFUNDS_CALLER_TOKENS must be a list of tokens of 32 characters or more",
  );
  expect(read({ GATEWAY_CALLER_TOKENS: OLD, REFUNDS_CALLER_TOKENS: `${OLD},` })).toThrow(
    "REFUNDS_CALLER_TOKENS must be",
  );
});
