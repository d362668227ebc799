-- How many refunds a project has in each status, so that a list need not count them. The sums change in the transaction
-- that changes the refunds, so they are exact. One sum is spread over shards, because writers of one row would wait for
-- each other. What was there before these triggers follows in the next migration.
set local lock_timeout = '5s';

create table refund_totals (
  project_id text not null,
  mode       smallint not null,
  status     text not null,
  shard      smallint not null,
  refunds    bigint not null,

  constraint refund_totals_pkey primary key (project_id, mode, status, shard)
) with (fillfactor = 50);

-- A deletion subtracts. Rows are taken in one order, so two statements cannot wait for each other in a circle.
create function refund_totals_add() returns trigger language plpgsql as $$
begin
  insert into refund_totals as total (project_id, mode, status, shard, refunds)
  select project_id, mode, status, pg_backend_pid() % 32, case tg_op when 'DELETE' then -count(*) else count(*) end
  from added group by 1, 2, 3 order by 1, 2, 3
  on conflict (project_id, mode, status, shard) do update set refunds = total.refunds + excluded.refunds;
  return null;
end $$;

create function refund_totals_move() returns trigger language plpgsql as $$
begin
  insert into refund_totals as total (project_id, mode, status, shard, refunds)
  select new.project_id, new.mode, status, pg_backend_pid() % 32, n
  from (values (old.status, -1), (new.status, 1)) moved (status, n) order by status
  on conflict (project_id, mode, status, shard) do update set refunds = total.refunds + excluded.refunds;
  return null;
end $$;

create trigger refunds_added after insert on refunds
  referencing new table as added for each statement execute function refund_totals_add();
create trigger refunds_removed after delete on refunds
  referencing old table as added for each statement execute function refund_totals_add();
create trigger refunds_moved after update of status on refunds
  for each row when (old.status <> new.status) execute function refund_totals_move();
