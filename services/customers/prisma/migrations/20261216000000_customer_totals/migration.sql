-- How many living customers a project has, so that a list need not count them. The sums change in the transaction that
-- changes the customers, so they are exact. One sum is spread over shards, because writers of one row would wait for each
-- other. What was there before these triggers follows in the next migration.
set local lock_timeout = '5s';

create table customer_totals (
  project_id text not null,
  mode       smallint not null,
  shard      smallint not null,
  customers  bigint not null,

  constraint customer_totals_pkey primary key (project_id, mode, shard)
) with (fillfactor = 50);

-- A deletion subtracts. Rows are taken in one order, so two statements cannot wait for each other in a circle.
create function customer_totals_add() returns trigger language plpgsql as $$
begin
  insert into customer_totals as total (project_id, mode, shard, customers)
  select project_id, mode, pg_backend_pid() % 32, case tg_op when 'DELETE' then -count(*) else count(*) end
  from added where deleted_at is null group by 1, 2 order by 1, 2
  on conflict (project_id, mode, shard) do update set customers = total.customers + excluded.customers;
  return null;
end $$;

-- An erased customer keeps its row.
create function customer_totals_erase() returns trigger language plpgsql as $$
begin
  insert into customer_totals as total (project_id, mode, shard, customers)
  values (new.project_id, new.mode, pg_backend_pid() % 32, case when new.deleted_at is null then 1 else -1 end)
  on conflict (project_id, mode, shard) do update set customers = total.customers + excluded.customers;
  return null;
end $$;

create trigger customers_added after insert on customers
  referencing new table as added for each statement execute function customer_totals_add();
create trigger customers_removed after delete on customers
  referencing old table as added for each statement execute function customer_totals_add();
create trigger customers_erased after update of deleted_at on customers
  for each row when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function customer_totals_erase();
