// Reads endpoints for sending: when a queue becomes busy, then twice a second, so that a change applies within a
// second.
import type { KeyObject } from "node:crypto";
import type { Log } from "@pay/process";
import type { Box } from "@pay/sealing";
import type { Pool } from "pg";
import { createSigningKey, parseScheme, type Scheme } from "../domain/signature.ts";
import { type FindTargetsRow, findTargets } from "../generated/sql.ts";

/** An endpoint as a sender needs it. */
export interface Target {
  version: string;
  /** Absent if nothing is to be sent. */
  url: string | undefined;
  /** Due deliveries are parked. */
  disabled: boolean;
  scheme: Scheme;
  concurrencyMax: number;
  key: KeyObject;
  /** The next secret, during a rotation. */
  nextKey: KeyObject | undefined;
}

const OPENED_MAX = 20_000;

export interface EndpointCache {
  /** By id: no entry for a deleted endpoint, undefined where the secret cannot be decrypted. */
  find(ids: string[]): Promise<Map<string, Target | undefined>>;
}

export function createEndpointCache(options: { pool: Pool; box: Box; log: Log }): EndpointCache {
  const { pool, box, log } = options;
  // Decrypting a secret costs more than reading it, and secrets change rarely.
  const opened = new Map<string, KeyObject>();
  const reported = new Set<string>();

  function getKey(
    endpointId: string,
    { scheme, seq, sealed }: { scheme: Scheme; seq: number; sealed: Buffer },
  ): KeyObject {
    const name = `${endpointId} ${seq} ${scheme}`;
    const known = opened.get(name);
    if (known !== undefined) return known;
    const key = createSigningKey(box.open(sealed, endpointId).toString(), scheme);
    if (opened.size >= OPENED_MAX) opened.clear();
    opened.set(name, key);
    return key;
  }

  function toTarget(row: FindTargetsRow): Target {
    const scheme = parseScheme(row.signature_scheme);
    return {
      version: row.version,
      url: row.enabled && row.url !== null ? row.url : undefined,
      disabled: !row.enabled,
      scheme,
      concurrencyMax: row.concurrency_max,
      key: getKey(row.id, { scheme, seq: row.secret_seq, sealed: row.sealed }),
      nextKey:
        row.next_seq === null || row.next_sealed === null
          ? undefined
          : getKey(row.id, { scheme, seq: row.next_seq, sealed: row.next_sealed }),
    };
  }

  // Without its secret nothing can be signed: the endpoint waits for the operator, others continue.
  function tryTarget(row: FindTargetsRow): Target | undefined {
    try {
      return toTarget(row);
    } catch (error) {
      if (!reported.has(row.id)) {
        log.error({ err: error, endpointId: row.id }, "a webhook secret cannot be decrypted");
      }
      reported.add(row.id);
      return undefined;
    }
  }

  return {
    find: async (ids) =>
      new Map((await findTargets(pool, { ids })).map((row) => [row.id, tryTarget(row)])),
  };
}
