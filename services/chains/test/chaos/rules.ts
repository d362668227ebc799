// What must hold at each write and not only in the end, where later readings have repaired much: the database itself
// watches it.
import type { Pool } from "pg";

// A new leader has a new epoch. Without one, a followed chain only grows: it was moved back by a process that does
// not lead.
const WATCH = `
  create table broken_rules (rule text, was text, became text);
  create function watch_cursor() returns trigger language plpgsql as $$
  declare
    rule text := case
      when new.epoch > old.epoch then null
      when new.epoch < old.epoch then 'an epoch only grows'
      when new.leader is not null and new.leader is distinct from old.leader then 'a new leader has a new epoch'
      when new.head_number < old.head_number then 'a head moves back only in a rewind'
      when new.head_number = old.head_number and new.head_hash <> old.head_hash
        then 'a block is replaced only in a rewind'
    end;
  begin
    if rule is not null then
      insert into broken_rules values (rule, row_to_json(old), row_to_json(new));
    end if;
    return null;
  end $$;
  create trigger watched after update on cursors for each row execute function watch_cursor();
  create function watch_events() returns trigger language plpgsql as $$
  begin
    insert into broken_rules
    select 'the event of a turn is written with its sums', e.type, e.event_id
    from written e
    where e.type = 'money.changed' and not exists (
      select from payment_sums s
      where position(convert_to(s.payment_id, 'UTF8') in e.payload) > 0
        and s.xmin::text::bigint = pg_current_xact_id()::text::bigint % (2::bigint ^ 32)::bigint);
    return null;
  end $$;
  create trigger watched after insert on outbox referencing new table as written
    for each statement execute function watch_events()`;

export async function watchRules(pool: Pool): Promise<void> {
  await pool.query(WATCH);
}

export async function brokenRules(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query("select rule, was, became from broken_rules");
  return rows.map(({ rule, was, became }) => `${rule}: ${was} became ${became}`);
}
