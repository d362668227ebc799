// What is known of endpoints while they are being sent to: looked up when a lane wakes, and again twice a second while
// it is busy, so that a change of address, secret or subscription is in force within a second everywhere.
import type { KeyObject } from "node:crypto";
import type { Log } from "@pay/process";
import type { Pool } from "pg";
import { open, type SealingKeys } from "../domain/sealing.ts";
import { type Scheme, signingKey } from "../domain/signature.ts";
import { type EndpointRow, findEndpoints } from "../storage/endpoints.ts";

/** An endpoint as a sender needs it. */
export interface Target {
  /** Absent when nothing is to be sent there any more. */
  url: string | undefined;
  scheme: Scheme;
  concurrencyMax: number;
  key: KeyObject;
}

const OPENED_MAX = 20_000;

export interface Directory {
  /** By id: no entry for an endpoint that is gone, an empty one where the secret cannot be opened. */
  find(ids: string[]): Promise<Map<string, Target | undefined>>;
}

export const createDirectory = (options: {
  pool: Pool;
  keys: SealingKeys;
  log: Log;
}): Directory => {
  const { pool, keys, log } = options;
  // Opening a secret costs more than reading it, and secrets change rarely.
  const opened = new Map<string, { seq: number; key: KeyObject }>();
  const complained = new Set<string>();

  const keyOf = ({ id, secret_seq, sealed }: EndpointRow): KeyObject => {
    const known = opened.get(id);
    if (known?.seq === secret_seq) return known.key;
    const key = signingKey(open(keys, id, sealed));
    if (opened.size >= OPENED_MAX) opened.clear();
    opened.set(id, { seq: secret_seq, key });
    return key;
  };

  const targetOf = (row: EndpointRow): Target => ({
    url: row.enabled && row.url !== null ? row.url : undefined,
    scheme: row.scheme === "sha256" ? "sha256" : "v1",
    concurrencyMax: row.concurrency_max,
    key: keyOf(row),
  });

  // Without its key nothing can be signed: such an endpoint waits for the operator, and the rest goes on.
  const usable = (row: EndpointRow): Target | undefined => {
    try {
      return targetOf(row);
    } catch (error) {
      if (!complained.has(row.id)) {
        log.error({ err: error, endpointId: row.id }, "a webhook secret cannot be opened");
      }
      complained.add(row.id);
      return undefined;
    }
  };

  return {
    find: async (ids) =>
      new Map((await findEndpoints(pool, ids)).map((row) => [row.id, usable(row)])),
  };
};
