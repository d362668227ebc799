// A new chain is followed from its present head on. The blocks below are kept too, so that a reorganisation that
// reaches below the first followed block finds a common one.
import type { Block } from "../providers/decode.ts";
import type { Reader } from "../providers/reader.ts";
import type { ChainLease } from "./chain-lease.ts";
import { implausible, toFollowed } from "./scan.ts";
import type { Session } from "./session.ts";
import type { FollowedBlock } from "./storage/steps.ts";

/** Blocks that are kept below the first head: deeper than reorganisations in practice, and read in three requests. */
const BLOCKS_BELOW = 128;

/** False where no provider responds, or another process leads by now. */
export async function startCursor(session: Session, lease: ChainLease): Promise<boolean> {
  const start = await session.request(async (reader) => {
    const tip = await reader.block("latest");
    return tip === null ? undefined : { tip, blocks: await readBelow(reader, tip) };
  });
  if (start === undefined) return false;
  session.noteTip(start.tip.number);
  const { tip, blocks } = start;
  return session.write(lease, { head: toFollowed(tip), blocks, transfers: [] });
}

/** The blocks that the tip continues, as many of them as the provider knows. */
async function readBelow(reader: Reader, tip: Block): Promise<FollowedBlock[]> {
  const count = Math.min(tip.number, BLOCKS_BELOW);
  const numbers = Array.from({ length: count }, (_, at) => tip.number - 1 - at);
  const below: FollowedBlock[] = [];
  let { parentHash } = tip;
  for (const block of await reader.blocks(numbers)) {
    if (block === null) break;
    if (block.hash !== parentHash) throw implausible(reader, "blocks that do not continue");
    parentHash = block.parentHash;
    below.push(toFollowed(block));
  }
  return below;
}
