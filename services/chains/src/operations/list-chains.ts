import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ListChainsResponseSchema } from "@pay/proto";
import type { Deps } from "../deps.ts";
import { toChain } from "../wire.ts";

export const listChains = async ({
  catalog,
}: Deps): Promise<MessageInitShape<typeof ListChainsResponseSchema>> => ({
  chains: (await catalog.list()).map(toChain),
});
