// Endpoints as they are needed for sending: looked up when a queue wakes, and again twice a second while
// it is busy, so that a change of address, secret or subscription is in force within a second everywhere.
import type { KeyObject } from "node:crypto";
import type { Log } from "@pay/process";
import type { Box } from "@pay/sealing";
import type { Pool } from "pg";
import { type Scheme, signingKey } from "../domain/signature.ts";
import { type EndpointRow, findEndpoints } from "../storage/internal.ts";

/** An endpoint as a sender needs it. */
export interface Target {
  /** Of the endpoint's row. */
  version: string;
  /** Absent when nothing is to be sent there any more. */
  url: string | undefined;
  /** Whether its merchant has disabled it: what is due is parked. */
  disabled: boolean;
  scheme: Scheme;
  concurrencyMax: number;
  key: KeyObject;
  /** Of the secret that follows; it signs a header of its own. */
  nextKey: KeyObject | undefined;
}

const OPENED_MAX = 20_000;

export interface EndpointCache {
  /** By id: no entry for an endpoint that is gone, an empty one where the secret cannot be opened. */
  find(ids: string[]): Promise<Map<string, Target | undefined>>;
}

export function createEndpointCache(options: { pool: Pool; box: Box; log: Log }): EndpointCache {
  const { pool, box, log } = options;
  // Opening a secret costs more than reading it, and secrets change rarely.
  const opened = new Map<string, KeyObject>();
  const complained = new Set<string>();

  function getKey(endpointId: string, seq: number, sealed: Buffer): KeyObject {
    const name = `${endpointId} ${seq}`;
    const known = opened.get(name);
    if (known !== undefined) return known;
    const key = signingKey(box.open(sealed, endpointId).toString());
    if (opened.size >= OPENED_MAX) opened.clear();
    opened.set(name, key);
    return key;
  }

  function toTarget(row: EndpointRow): Target {
    return {
      version: row.version,
      url: row.enabled && row.url !== null ? row.url : undefined,
      disabled: !row.enabled,
      scheme: row.signature_scheme === "sha256" ? "sha256" : "v1",
      concurrencyMax: row.concurrency_max,
      key: getKey(row.id, row.secret_seq, row.sealed),
      nextKey:
        row.next_seq === null || row.next_sealed === null
          ? undefined
          : getKey(row.id, row.next_seq, row.next_sealed),
    };
  }

  // Without its key nothing can be signed: such an endpoint waits for the operator, and the rest goes on.
  function usable(row: EndpointRow): Target | undefined {
    try {
      return toTarget(row);
    } catch (error) {
      if (!complained.has(row.id)) {
        log.error({ err: error, endpointId: row.id }, "a webhook secret cannot be opened");
      }
      complained.add(row.id);
      return undefined;
    }
  }

  return {
    find: async (ids) =>
      new Map((await findEndpoints(pool, ids)).map((row) => [row.id, usable(row)])),
  };
}
