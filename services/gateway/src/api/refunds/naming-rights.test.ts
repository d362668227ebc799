import { expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { toChainId } from "@pay/values";
import type { Caller, RefundLimit, Scope } from "../../keys/caller.ts";
import { withNamingRights } from "./naming-rights.ts";

const COMMON = {
  actor: "key_1",
  projectId: "proj_1",
  allowedOrigins: [],
  paymentLifetimeMinutes: 30,
  unnamedTransfers: null,
  depositAddresses: false,
  wallets: null,
  variant: null,
  version: "2026-02-01",
};

/** The outcome where only the right to name any address allows the refund. */
function refund(
  caller: Pick<Caller, "mode" | "scopes"> & { isConfirmed?: boolean; refundLimits?: RefundLimit[] },
) {
  const { isConfirmed } = caller;
  const kind =
    isConfirmed === undefined
      ? ({ type: "secret", expiresAt: null, allowedAddresses: [] } as const)
      : ({ type: "member", isConfirmed, refundLimits: caller.refundLimits ?? [] } as const);
  return withNamingRights({ ...COMMON, ...caller, ...kind }, async ({ anyDestination }) => {
    if (!anyDestination) throw new Failure("refund_destination_forbidden", "");
    return "allowed";
  }).catch((error: Failure) => error.errorCode);
}

test("an unrestricted key and a confirmed member may name any address; another member is asked to confirm", async () => {
  const restricted = new Set(["refunds:write"]);
  const forbidden = "refund_destination_forbidden";
  for (const mode of ["live", "test"] as const) {
    expect(await refund({ mode, scopes: "all" })).toBe("allowed");
    expect(await refund({ mode, scopes: restricted })).toBe(forbidden);
    expect(await refund({ mode, scopes: restricted, isConfirmed: true })).toBe("allowed");
  }
  for (const scopes of ["all", restricted] as const) {
    const asked = await refund({ mode: "live", scopes, isConfirmed: false });
    expect(asked).toBe("confirmation_required");
    expect(await refund({ mode: "test", scopes, isConfirmed: false })).toBe("allowed");
  }
});

test("a member with limits may name no address, and confirming does not help", async () => {
  const refundLimits = [{ chainId: toChainId(1), currency: "native", perDay: "1" }];
  for (const isConfirmed of [true, false]) {
    const scopes = new Set<Scope>(["refunds:read"]);
    const member = { mode: "live", scopes, isConfirmed, refundLimits } as const;
    expect(await refund(member)).toBe("refund_destination_forbidden");
  }
});
