// When keys were last used. Requests record it in memory; a job writes the records since its last round in one
// statement. A process that dies loses one round. The same statement moves a key that was digested under an older
// pepper to the current one, which needs the key itself and is therefore possible only when it is used.
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { recordKeyUses } from "../generated/sql.ts";

/** The digest that a key gets, and the digest under which it is stored now. */
export interface Renewal {
  from: Buffer;
  to: Buffer;
  version: number;
}

export interface UsedKey {
  keyId: string;
  projectId: string;
  renewal: Renewal | undefined;
}

interface Use extends UsedKey {
  at: Date;
}

export interface KeyUses {
  note(key: UsedKey, at: Date): void;
  /** Writes the records; those that could not be written stay for the next round. */
  write(pool: Pool): Promise<void>;
}

// Further keys are recorded in the next round.
const KEYS_MAX = 10_000;

export function createKeyUses(): KeyUses {
  let noted = new Map<string, Use>();
  function keep(use: Use): void {
    if (noted.has(use.keyId) || noted.size < KEYS_MAX) noted.set(use.keyId, use);
  }

  return {
    note: (key, at) => {
      const use = noted.get(key.keyId);
      if (use === undefined) return keep({ ...key, at });
      use.at = at;
      use.renewal = key.renewal;
    },
    write: async (pool) => {
      if (noted.size === 0) return;
      const uses = [...noted.values()];
      noted = new Map();
      try {
        await recordKeyUses(pool, { uses: uses.map(toRow) });
      } catch (error) {
        for (const use of uses) if (!noted.has(use.keyId)) keep(use);
        throw error;
      }
    },
  };
}

function toRow({ keyId, projectId, at, renewal }: Use) {
  return {
    id: keyId,
    project_id: projectId,
    used_at: at,
    old_digest: renewal?.from ?? null,
    new_digest: renewal?.to ?? null,
    pepper_version: renewal?.version ?? null,
  };
}

export function startKeyUses(
  uses: KeyUses,
  { pool, runtime, intervalMs }: { pool: Pool; runtime: Runtime; intervalMs: number },
): void {
  every({ name: "last use of keys", intervalMs, runtime, act: () => uses.write(pool) });
}
