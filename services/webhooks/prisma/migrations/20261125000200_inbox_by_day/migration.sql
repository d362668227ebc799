-- Events already handled, by consumer, with a partition for each day.
create table inbox_ids (
  consumer text not null,
  event_id text not null,
  -- Constant inside a partition, so that the primary key refuses a second row of an event there.
  day      timestamptz(0) not null
    default date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint inbox_ids_pkey primary key (consumer, event_id, day)
) partition by range (day);
insert into time_partitions (table_name, span_hours, ahead, kept, used_kept) values ('inbox_ids', 24, 3, 7, 7);

-- The last record of each partition of a topic that a consumer has handled.
create table inbox_positions (
  consumer      text not null,
  topic         text not null,
  partition     integer not null,
  record_offset bigint not null,

  constraint inbox_positions_pkey primary key (consumer, topic, partition)
) with (fillfactor = 50);

-- While the version before still runs, it does not handle again what this version has handled.
create function inbox_handled_elsewhere() returns trigger language plpgsql as $$
begin
  if exists (select from inbox_ids known where known.consumer = new.consumer and known.event_id = new.event_id) then
    return null;
  end if;
  return new;
end
$$;
create trigger inbox_handled_elsewhere before insert on inbox
  for each row execute function inbox_handled_elsewhere();
