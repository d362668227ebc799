// Creating and dropping partitions takes the owner's rights. These two functions lend a service that much of them and
// no more, so that its role needs none to change tables.
import pg from "pg";

const OPTIONS = "^[a-z_]+ *= *[0-9.]+( *, *[a-z_]+ *= *[0-9.]+)*$";

/** By the owner, after the migrations: a role that has no rights to tables has none to these functions either. */
export async function definePartitionFunctions(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ schema: string }>(
    "select current_schema() as schema where to_regclass('time_partitions') is not null",
  );
  const [home] = rows;
  // A database without such tables, as some tests have one.
  if (home === undefined) return;
  // Relations of a caller's own come last.
  const path = `${pg.escapeIdentifier(home.schema)}, pg_temp`;
  await pool.query(`
    create or replace function create_partition(of_table text, begins timestamptz) returns void
    language plpgsql security definer set search_path = ${path} as $$
    declare
      kept time_partitions;
      span interval;
      partition text;
    begin
      select * into strict kept from time_partitions where table_name = of_table;
      span := make_interval(hours => kept.span_hours);
      if begins <> date_bin(span, begins, timestamptz '2000-01-01 00:00+00') then
        raise 'a partition of % does not begin at %', of_table, begins;
      end if;
      if kept.options <> '' and kept.options !~ '${OPTIONS}' then
        raise 'the options of % are not those of storage', of_table;
      end if;
      partition := format('%s_%s', of_table, to_char(begins at time zone 'UTC', 'YYYYMMDDHH24'));
      -- "create table … partition of" would make writers wait; attaching does not.
      execute format('create table %I (like %I including defaults including constraints including storage)%s',
        partition, of_table, case kept.options when '' then '' else ' with (' || kept.options || ')' end);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)',
        of_table, partition, begins, begins + span);
    end $$;
    create or replace function drop_partition(partition text) returns void
    language plpgsql security definer set search_path = ${path} as $$
    begin
      if to_regclass(partition) is null then
        return;
      end if;
      if not exists (
        select from time_partitions kept
        join pg_inherits link on link.inhparent = to_regclass(kept.table_name)
        join pg_class child on child.oid = link.inhrelid and child.relname = partition
        where to_timestamp(right(child.relname, 10) || ' +00', 'YYYYMMDDHH24 TZH')
          + (kept.kept + 1) * make_interval(hours => kept.span_hours) <= now()
      ) then
        raise '% is no partition that is over', partition;
      end if;
      execute format('drop table %I', partition);
    end $$`);
}
