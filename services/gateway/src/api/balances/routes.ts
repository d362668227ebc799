import type { Balance, SettlementWallet } from "@pay/proto";
import { z } from "zod";
import { type Call, route } from "../../pipeline/route.ts";
import { buildRule } from "../field-rules.ts";
import * as field from "../fields.ts";
import { replyNext } from "../page.ts";
import { balanceList, renderBalance } from "./response.ts";

const LIMIT = { default: 50, max: 100 };
const CURSOR = /^\d{1,18}_(native|0x[0-9a-f]{40})_0x[0-9a-f]{40}$/;

const pages = z.object({
  limit: field.queryInteger(LIMIT.max).optional().describe("Maximum number of items of a page."),
  after: field
    .reference(128)
    .regex(CURSOR, buildRule("be the cursor of an earlier page"))
    .optional()
    .describe("Cursor: `X-Next-After` of the previous page."),
});

function isHolding(wallet: SettlementWallet, { holding }: Balance): boolean {
  return (
    holding?.chainId === wallet.chainId &&
    holding.currency === wallet.currency &&
    holding.wallet === wallet.address
  );
}

async function findBalances(
  { services }: Pick<Call, "services">,
  wallets: readonly SettlementWallet[],
) {
  if (wallets.length === 0) return [];
  const holdings = wallets.map(({ chainId, currency, address: wallet }) => ({
    chainId,
    currency,
    wallet,
  }));
  return (await services.chains.batchGetBalances({ holdings })).balances;
}

export const listBalancesRoute = route({
  auth: "secret",
  scope: "settlements:read",
  tag: "Settlements",
  limit: "standard",
  summary: "List what each wallet holds, and what of it can be settled",
  query: pages,
  response: balanceList,
  success: 200,
  handle: async (call) => {
    const { limit = LIMIT.default, after = "" } = call.query;
    const { wallets, nextAfter } = await call.services.settlements.listWallets({ limit, after });
    const balances = await findBalances(call, wallets);
    replyNext(call, nextAfter);
    return {
      data: wallets.map((wallet) =>
        renderBalance({ wallet, balance: balances.find((one) => isHolding(wallet, one)) }),
      ),
    };
  },
});
