import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ListChainsResponseSchema } from "@pay/proto";
import type { Deps } from "../deps.ts";
import { toChain } from "../messages.ts";

export async function listChains({
  catalog,
}: Deps): Promise<MessageInitShape<typeof ListChainsResponseSchema>> {
  return {
    chains: (await catalog.list()).map(toChain),
  };
}
