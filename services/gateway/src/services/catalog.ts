import type { Clock } from "@pay/process";
import type { Chain, ChainsService } from "@pay/proto";
import type { Client } from "@pay/rpc";

const FRESH_MS = 5_000;

export interface Catalog {
  chains(): Promise<readonly Chain[]>;
}

/** The catalog of chains, read when it is asked for and old; while chains is away, the last answer goes on. */
export function createCatalog(
  client: Pick<Client<typeof ChainsService>, "listChains">,
  { clock, timeoutMs }: { clock: Clock; timeoutMs: number },
): Catalog {
  let known: readonly Chain[] | undefined;
  let readAtMs = 0;
  let reading: Promise<readonly Chain[]> | undefined;

  async function read(): Promise<readonly Chain[]> {
    try {
      known = (await client.listChains({}, { timeoutMs })).chains;
      readAtMs = clock.now().getTime();
      return known;
    } catch (error) {
      if (known === undefined) throw error;
      return known;
    } finally {
      reading = undefined;
    }
  }

  return {
    chains: async () => {
      if (known !== undefined && clock.now().getTime() - readAtMs < FRESH_MS) return known;
      reading ??= read();
      return reading;
    },
  };
}
