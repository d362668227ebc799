import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { transaction } from "@pay/database";
import { findAnswer, type IdempotentRequest, writeOnce } from "@pay/idempotency";
import type { Pool, PoolClient } from "pg";

/** Runs work whose response is a message: once per idempotency key, where the request has a key. */
export async function writeMessage<Desc extends DescMessage>(
  pool: Pool,
  {
    idempotent,
    schema,
    work,
  }: {
    idempotent: IdempotentRequest | undefined;
    schema: Desc;
    work: (tx: PoolClient) => Promise<MessageShape<Desc>>;
  },
): Promise<{ message: MessageShape<Desc>; replayed: boolean }> {
  if (idempotent === undefined) {
    return { message: await transaction(pool, work), replayed: false };
  }
  const { response, replayed } = await writeOnce(pool, idempotent, async (tx) =>
    toBinary(schema, await work(tx)),
  );
  return { message: fromBinary(schema, response), replayed };
}

/** The first response of a request; undefined for a new request. */
export async function findMessage<Desc extends DescMessage>(
  pool: Pool,
  { idempotent, schema }: { idempotent: IdempotentRequest | undefined; schema: Desc },
): Promise<MessageShape<Desc> | undefined> {
  const found = idempotent && (await findAnswer(pool, idempotent));
  return found && fromBinary(schema, found);
}
