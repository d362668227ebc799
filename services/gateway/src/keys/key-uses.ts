// When keys were last used. Requests record it in memory; a job writes the records since its last round in one
// statement. A process that dies loses one round. The same statement moves a key that was digested under an older
// pepper to the current one, which needs the key itself and is therefore possible only when it is used.
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";

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

// Rows are locked in one order, so that two replicas that write the same keys wait for each other at most.
const WRITE = {
  name: "keys-used",
  text: `with used as (
      select * from unnest($1::text[], $2::text[], $3::timestamptz[], $4::bytea[], $5::bytea[], $6::smallint[])
        as used (id, project_id, used_at, old_digest, new_digest, pepper_version)
    ), locked as (
      select id from api_keys where id = any($1) and project_id = any($2) order by id for update
    )
    update api_keys k set
      last_used_at = greatest(k.last_used_at, used.used_at),
      digest = case when k.digest = used.old_digest then used.new_digest else k.digest end,
      pepper_version =
        case when k.digest = used.old_digest then used.pepper_version else k.pepper_version end
    from used join locked using (id)
    where k.id = used.id and k.project_id = used.project_id`,
};

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
        await pool.query({ ...WRITE, values: listColumns(uses) });
      } catch (error) {
        for (const use of uses) if (!noted.has(use.keyId)) keep(use);
        throw error;
      }
    },
  };
}

function listColumns(uses: readonly Use[]): unknown[] {
  return [
    uses.map(({ keyId }) => keyId),
    uses.map(({ projectId }) => projectId),
    uses.map(({ at }) => at),
    uses.map(({ renewal }) => renewal?.from ?? null),
    uses.map(({ renewal }) => renewal?.to ?? null),
    uses.map(({ renewal }) => renewal?.version ?? null),
  ];
}

export function startKeyUses(
  uses: KeyUses,
  { pool, runtime, intervalMs }: { pool: Pool; runtime: Runtime; intervalMs: number },
): void {
  every({ name: "last use of keys", intervalMs, runtime, act: () => uses.write(pool) });
}
