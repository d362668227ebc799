import type { ChainHealth } from "@pay/proto";
import { FINALITY_MODES, toChainId } from "@pay/values";
import { z } from "zod";
import * as shown from "../field-values.ts";
import { buildShape, listNames, pick, requireField } from "../response-fields.ts";
import { renderToken, tokenShape } from "./response.ts";

/** A chain is up to date until its blocks are this late, and so many blocks. */
const LATE_SECONDS = 60;
const LATE_BLOCKS = 5;

function isUpToDate({ chain, secondsBehind }: ChainHealth): boolean {
  const late = Math.max(LATE_SECONDS, (LATE_BLOCKS * requireField(chain).blockTimeMs) / 1_000);
  return secondsBehind !== undefined && secondsBehind <= late;
}

function toBlock(number: bigint | undefined): number | null {
  return number === undefined ? null : Number(number);
}

const HEALTH = {
  chainId: {
    schema: shown.chainId,
    of: (h: ChainHealth) => toChainId(requireField(h.chain).chainId),
  },
  name: {
    schema: shown.string("Name of the chain.", "Ethereum"),
    of: (h: ChainHealth) => requireField(h.chain).name,
  },
  headBlock: {
    schema: shown.integerOrNull(
      "Highest block that a provider named; null before one did.",
      19_000_002,
    ),
    of: (h: ChainHealth) => toBlock(h.chainHead),
  },
  followedBlock: {
    schema: shown.integerOrNull(
      "Last block whose transfers are known; null before one.",
      19_000_002,
    ),
    of: (h: ChainHealth) => toBlock(h.chain?.headNumber),
  },
  secondsBehind: {
    schema: shown.integerOrNull(
      "Time since which a block may be missing; null before the first.",
      1,
    ),
    of: (h: ChainHealth) => h.secondsBehind ?? null,
  },
  upToDate: {
    schema: shown.boolean(
      `False once it is more than ${LATE_SECONDS} s and ${LATE_BLOCKS} blocks behind.`,
      true,
    ),
    of: isUpToDate,
  },
  finality: {
    schema: shown.choice(
      FINALITY_MODES,
      "What makes a block final: a depth, or a tag of the chain.",
    ),
    of: (h: ChainHealth) => requireField(h.finality).mode,
  },
  confirmations: {
    schema: shown.integerOrNull("Blocks that a payment needs; null where the tag decides.", 12),
    of: (h: ChainHealth) => h.chain?.confirmationsNeeded ?? null,
  },
  providers: {
    schema: z
      .strictObject({
        answering: shown.integer("Those that answer at present.", 2),
        configured: shown.integer("All of them.", 2),
      })
      .describe("Providers of the chain."),
    of: (h: ChainHealth) => ({
      answering: h.providersAnswering,
      configured: h.providersConfigured,
    }),
  },
  watchedAddresses: {
    schema: shown.integer("Your addresses at which payments wait for money; at most 1000.", 3),
    of: (h: ChainHealth) => h.watchedAddresses,
  },
  tokens: {
    schema: z.array(tokenShape).describe("Tokens that can be paid with."),
    of: (h: ChainHealth) => requireField(h.chain).tokens.map((token) => renderToken(token)),
  },
};

const NAMES = listNames(HEALTH);

export const healthShape = buildShape("ChainHealth", HEALTH, NAMES);

export function renderHealth(health: ChainHealth) {
  return pick(HEALTH, NAMES, health);
}
