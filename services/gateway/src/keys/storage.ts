// The keys of a project. Every query contains the project, so a key of another project is not found.
import {
  type Condition,
  condition,
  type Page,
  type PageRequest,
  type Queryable,
  selectPage,
} from "@pay/database";
import { appendOutbox } from "@pay/events";
import type { Pool } from "pg";
import { api_keys } from "../generated/columns.ts";
import * as sql from "../generated/sql.ts";
import { countKeyFamilies, findMakers } from "../generated/sql.ts";
import type { KeyMode } from "./caller.ts";
import { keyEvent } from "./events.ts";
import type { NewKey } from "./new-key.ts";

const { digest: _, pepper_version: __, ...SHOWN } = api_keys;
const COLUMNS = Object.keys(SHOWN).join(", ");

/** A row of the table without what would help to guess the key. */
export type ApiKey = sql.InsertKeyRow;

/** Who makes a key: the id of another key or of a member, or the operator. */
export interface Maker {
  projectId: string;
  actor: string;
}

export const OPERATOR = "operator";

interface Written {
  at: Date;
  requestId: string;
}

/** A key with its event, in a transaction. Undefined where there is no such project. */
export async function insertKey(
  tx: Queryable,
  by: Maker,
  key: NewKey,
  written: Written,
): Promise<ApiKey | undefined> {
  const { projectId, actor } = by;
  const { at } = written;
  const [row] = await sql.insertKey(tx, { ...key, projectId, createdAt: at, createdBy: actor });
  if (row !== undefined) await appendOutbox(tx, [keyEvent("api_key.created", row, written)]);
  return row;
}

/**
 * Revokes a key with its event, in a transaction: whether it is revoked now, was not there, or is the last
 * unrestricted secret key of its mode.
 */
export async function revokeKey(
  tx: Queryable,
  key: { id: string; projectId: string },
  written: Written,
): Promise<"revoked" | "absent" | { onlyKeyOfMode: KeyMode }> {
  const [outcome] = await sql.revokeKey(tx, { ...key, revokedAt: written.at });
  const { revoked, mode } = outcome ?? { revoked: 0, mode: null };
  if (revoked === 0) return mode === null ? "absent" : { onlyKeyOfMode: mode as KeyMode };
  const rows = await sql.readKey(tx, key);
  await appendOutbox(
    tx,
    rows.map((row) => keyEvent("api_key.revoked", row, written)),
  );
  return "revoked";
}

export const KEY_TYPES = ["secret", "publishable"] as const;
export const KEY_STATES = ["active", "expired", "revoked"] as const;
type KeyState = (typeof KEY_STATES)[number];

interface KeyQuery {
  page: PageRequest;
  /** Of the caller: who is in live mode sees the keys of both. */
  mode: KeyMode;
  type: (typeof KEY_TYPES)[number] | undefined;
  state: KeyState | undefined;
  now: Date;
}

/** A revoked key is that alone, whenever it would have expired. */
function hasState(state: KeyState, now: Date): Condition[] {
  const isRevoked = [{ text: "revoked_at is not null", values: [] }];
  if (state === "revoked") return isRevoked;
  const isExpired = "coalesce(expires_at <= ?::timestamptz, false)";
  return [
    { text: "revoked_at is null", values: [] },
    { text: state === "expired" ? isExpired : `not ${isExpired}`, values: [now] },
  ];
}

/** A project has few keys, so they are compared one by one. */
export async function listKeys(
  pool: Pool,
  projectId: string,
  { page, mode, type, state, now }: KeyQuery,
): Promise<Page<ApiKey>> {
  return selectPage<ApiKey>(pool, {
    table: "api_keys",
    columns: COLUMNS,
    scope: [
      ...condition("project_id = ?", projectId),
      ...condition("mode = ?", mode === "test" ? mode : undefined),
    ],
    filter: [...condition("type = ?", type), ...(state === undefined ? [] : hasState(state, now))],
    page,
  });
}

/**
 * Whether two keys or members are in the same hands: they are one, one key was rolled into the other, or one member
 * made them.
 */
export async function isInSameHands(
  db: Queryable,
  projectId: string,
  ids: readonly [string, string],
): Promise<boolean> {
  if (ids[0] === ids[1]) return true;
  const [count] = await countKeyFamilies(db, { projectId, ids });
  if (count?.keys === 2 && count.families === 1) return true;
  const makers = await findMakers(db, { projectId, ids });
  const [one, other] = ids.map((id) => [
    id,
    ...makers.flatMap(({ key_id, member_id }) => (key_id === id ? [member_id] : [])),
  ]) as [string[], string[]];
  return one.some((id) => other.includes(id));
}
