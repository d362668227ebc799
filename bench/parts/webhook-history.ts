// Deliveries that ended before, as the dispatcher leaves them: an event, a delivery and an attempt each, with ids that
// sort by time. All are in today's partitions, where new ones go. Afterwards the server has analysed its tables, as it
// does itself after a quiet minute, and has written to its files what the filling left in memory: what is measured is a
// history that is there, not one that is being written.
import pg from "pg";

const ROWS_AT_ONCE = 100_000;
const ENDPOINTS = 1_000;

const ID = `lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0')`;
const FILL = `
  with made as (
    select n, now() - (1 - n / $2::float8) * interval '1 hour' as at, $1 + n as number
    from generate_series(1, $2::int) n
  ), one as (
    select 'evt_' || ${ID} || lpad(number::text, 12, '0') as event_id,
      (${ID} || '7' || lpad(to_hex(number), 19, '0'))::uuid as delivery_id,
      'proj_history' || number % ${ENDPOINTS} as project_id, 'we_history' || number % ${ENDPOINTS} as endpoint_id,
      at, get_event_day(at) as day, number
    from made
  ), stored as (
    insert into events (id, project_id, mode, type, resource_id, sequence, body, occurred_at, received_at, day, position)
    select event_id, project_id, 1, 'payment.confirmed', 'pay_' || number, 3,
      convert_to(repeat('x', 300), 'UTF8'), at, at, day, number from one
  ), delivered as (
    insert into deliveries (id, event_id, endpoint_id, state, attempts, next_attempt_at, created_at, finished_at, day)
    select delivery_id, event_id, endpoint_id, 'delivered', 1, at, at, at, day from one
  )
  insert into attempts (delivery_id, number, started_at, duration_ms, url, status_code, remote_address, response,
    response_complete, day)
  select delivery_id, 1, at, 20, 'https://shop.example/hook', 200, '192.0.2.1', '', true, day from one`;

export async function fillHistory(
  pool: pg.Pool,
  superuserUrl: string,
  rows: number,
): Promise<void> {
  for (let filled = 0; filled < rows; filled += ROWS_AT_ONCE) {
    await pool.query(FILL, [filled, Math.min(ROWS_AT_ONCE, rows - filled)]);
  }
  await pool.query("vacuum analyze events, deliveries, attempts");
  const superuser = new pg.Client(superuserUrl);
  await superuser.connect();
  await superuser.query("checkpoint");
  await superuser.end();
}
