// The minimum that a server can do: node:http and one statement per request, in one process.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import pg from "pg";
import {
  type Body,
  findProject,
  type Row,
  toAnswer,
  toEvent,
  toFingerprint,
  toRow,
} from "./order.ts";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

const STATEMENT = {
  name: "create",
  text: `with fresh as (
      insert into idempotency_keys (scope, key, fingerprint, response) values ($1, $2, $3, $4)
      on conflict do nothing returning key
    ), event as (
      insert into outbox (event_id, type, topic, key, request_id, payload)
      select $5, $6, $7, $8, $9, $10 from fresh
    )
    insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency,
      chain_id, recipient_address, description, qr_mode, secret_version, expires_at, created_at)
    select $11, $12, $13::smallint, $14::smallint, $15, $16, $17::numeric, $18::smallint, $19,
      $20::bigint, $21, $22, $23::boolean, $24::smallint, $25::timestamptz, $26::timestamptz from fresh
    returning id`,
};

async function store(key: string, fingerprint: Buffer, row: Row): Promise<boolean> {
  const event = toEvent(row);
  const scope = `${row.project_id}:1:POST /v1/payments`;
  const values = [scope, key, fingerprint, Buffer.from(row.id), ...Object.values(event)];
  const { rowCount } = await pool.query({
    ...STATEMENT,
    values: [...values, ...Object.values(row)],
  });
  return rowCount === 1;
}

async function serve(request: IncomingMessage, response: ServerResponse) {
  function say(status: number, text: string) {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    };
    response.writeHead(status, headers).end(text);
  }

  const project = findProject(request.headers["x-secret-key"]);
  if (project === undefined) return say(401, "{}");
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const row = toRow(project, JSON.parse(body.toString()) as Body);
  if (row === undefined) return say(400, "{}");
  const fresh = await store(`${request.headers["idempotency-key"]}`, toFingerprint(body), row);
  say(fresh ? 201 : 409, toAnswer(row));
}

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
server.listen(Number(process.env.PORT), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
