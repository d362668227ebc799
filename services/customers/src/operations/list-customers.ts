import { timestampDate } from "@bufbuild/protobuf/wkt";
import { listCost, parsePage } from "@pay/database";
import type { Customer, ListCustomersRequest } from "@pay/proto";
import { type CallContext, parseTenant } from "@pay/rpc";
import { checksumAddress, isAddress } from "@pay/values";
import type { Deps } from "../deps.ts";
import { toMessage } from "../messages.ts";
import { listCustomers as list } from "../storage/customers.ts";

export async function listCustomers(
  { lists }: Deps,
  request: ListCustomersRequest,
  { deadline }: CallContext,
): Promise<{ customers: Customer[]; total: bigint; nextAfter: string }> {
  const tenant = parseTenant(request.tenant);
  const { walletAddress, name, createdFrom, createdTo } = request;
  // A text that is not an address matches no customer.
  const wallet =
    walletAddress !== undefined && isAddress(walletAddress)
      ? checksumAddress(walletAddress)
      : walletAddress;
  const page = parsePage(request.page);
  const cost = { rows: listCost(page), deadline };
  const { rows, total, nextAfter } = await lists.take(tenant.projectId, cost, () =>
    list(lists.pool, tenant, {
      page,
      wallet,
      name,
      createdFrom: createdFrom && timestampDate(createdFrom),
      createdTo: createdTo && timestampDate(createdTo),
    }),
  );
  return { customers: rows.map(toMessage), total: BigInt(total), nextAfter };
}
