import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CreateSettlementRequestSchema, Settlement, SettlementsService } from "@pay/proto";
import type { Client } from "@pay/rpc";
import { type testDatabase, until } from "@pay/testing";
import { getWallet } from "./balances.ts";
import { aHash, CHAIN_ID, DELAY_HOURS, RECIPIENT, type Tenant, TREASURY } from "./tenants.ts";

type Database = Awaited<ReturnType<typeof testDatabase>>;
type Init = Omit<MessageInitShape<typeof CreateSettlementRequestSchema>, "$typeName">;

/** Settlements and the address book, as the gateway calls them. */
export function settlementCalls(
  settlements: Client<typeof SettlementsService>,
  { pool }: Database,
  clock: { move(ms: number): void },
) {
  function present({ settlement }: { settlement?: Settlement | undefined }): Settlement {
    if (settlement === undefined) throw new Error("a response has the settlement");
    return settlement;
  }

  function readWallet(tenant: Tenant, source = RECIPIENT, currency = "native") {
    return getWallet(pool, tenant, { source, currency });
  }

  return {
    /** Adds the treasury to the address book and waits until it can be used. */
    openTreasury: async (tenant: Tenant, address = TREASURY) => {
      await settlements.createDestination({
        tenant,
        chainId: CHAIN_ID,
        address,
        createdBy: "key_a",
      });
      clock.move(DELAY_HOURS * 3_600_000);
    },
    request: async (tenant: Tenant, change: Init = {}): Promise<Settlement> =>
      present(
        await settlements.createSettlement({
          tenant,
          chainId: CHAIN_ID,
          currency: "native",
          requestId: "req-settle",
          sourceAddress: RECIPIENT,
          destinationAddress: TREASURY,
          requestedBy: "key_a",
          ...change,
        }),
      ),
    approve: async (tenant: Tenant, id: string, approvedBy = "key_b") =>
      present(await settlements.approveSettlement({ tenant, id, approvedBy, requestId: "req" })),
    reject: async (tenant: Tenant, id: string) =>
      present(await settlements.rejectSettlement({ tenant, id, requestId: "req" })),
    submit: async (tenant: Tenant, id: string, txHash = aHash()) =>
      present(
        await settlements.submitSettlementTransaction({ tenant, id, txHash, requestId: "req" }),
      ),
    listWallets: (tenant: Tenant, page: { limit: number; after?: string }) =>
      settlements.listWallets({ tenant, ...page }),
    get: async (tenant: Tenant, id: string) =>
      present(await settlements.getSettlement({ tenant, id })),
    /** Resolves when so much has been credited to the wallet. */
    credited: (tenant: Tenant, sum: bigint) =>
      until(async () => (await readWallet(tenant)).credited === sum, {
        what: "the credit of the wallet",
      }),
    getWallet: readWallet,
  };
}
