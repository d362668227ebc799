-- Totals by chain as well, and by whole hours and days of the payments' creation, so that a list narrowed by chain
-- or by time need not count its rows. Code of the version before sums payment_totals as it did.
lock table payments in share row exclusive mode;

alter table payment_totals add column chain_id bigint;
truncate payment_totals;
alter table payment_totals alter column chain_id set not null;
alter table payment_totals drop constraint payment_totals_pkey;
alter table payment_totals add constraint payment_totals_pkey
  primary key (project_id, mode, variant, status, chain_id, shard);

create table payment_spans (
  project_id text not null,
  mode       smallint not null,
  grain      text not null,
  since      timestamptz(3) not null,
  variant    smallint not null,
  status     text not null,
  chain_id   bigint not null,
  shard      smallint not null,
  payments   bigint not null,

  constraint payment_spans_pkey
    primary key (project_id, mode, grain, since, variant, status, chain_id, shard),
  constraint payment_spans_grain_known check (grain in ('day', 'hour'))
) with (fillfactor = 50);

-- Rows are taken in one order in each table, and the tables in one order, so two statements cannot wait for each
-- other in a circle. Spans are many, so they are spread over fewer shards.
create or replace function payment_totals_add() returns trigger language plpgsql as $$
begin
  insert into payment_totals as t (project_id, mode, variant, status, chain_id, shard, payments)
  select project_id, mode, variant, status, chain_id, pg_backend_pid() % 32, count(*)
  from added group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, variant, status, chain_id, shard)
  do update set payments = t.payments + excluded.payments;

  insert into payment_spans as s
    (project_id, mode, grain, since, variant, status, chain_id, shard, payments)
  select project_id, mode, grain, date_trunc(grain, created_at, 'UTC'), variant, status, chain_id,
    pg_backend_pid() % 4, count(*)
  from added cross join (values ('day'), ('hour')) grains (grain)
  group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (project_id, mode, grain, since, variant, status, chain_id, shard)
  do update set payments = s.payments + excluded.payments;
  return null;
end $$;

create or replace function payment_totals_move() returns trigger language plpgsql as $$
begin
  insert into payment_totals as t (project_id, mode, variant, status, chain_id, shard, payments)
  select project_id, mode, variant, status, chain_id, pg_backend_pid() % 32, sum(n)
  from (
    select project_id, mode, variant, status, chain_id, 1 as n from added
    union all
    select project_id, mode, variant, status, chain_id, -1 from removed
  ) moves
  group by 1, 2, 3, 4, 5 having sum(n) <> 0 order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, variant, status, chain_id, shard)
  do update set payments = t.payments + excluded.payments;

  insert into payment_spans as s
    (project_id, mode, grain, since, variant, status, chain_id, shard, payments)
  select project_id, mode, grain, date_trunc(grain, created_at, 'UTC'), variant, status, chain_id,
    pg_backend_pid() % 4, sum(n)
  from (
    select project_id, mode, variant, status, chain_id, created_at, 1 as n from added
    union all
    select project_id, mode, variant, status, chain_id, created_at, -1 from removed
  ) moves cross join (values ('day'), ('hour')) grains (grain)
  group by 1, 2, 3, 4, 5, 6, 7 having sum(n) <> 0 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (project_id, mode, grain, since, variant, status, chain_id, shard)
  do update set payments = s.payments + excluded.payments;
  return null;
end $$;

insert into payment_totals (project_id, mode, variant, status, chain_id, shard, payments)
select project_id, mode, variant, status, chain_id, 0, count(*) from payments group by 1, 2, 3, 4, 5;

insert into payment_spans (project_id, mode, grain, since, variant, status, chain_id, shard, payments)
select project_id, mode, grain, date_trunc(grain, created_at, 'UTC'), variant, status, chain_id, 0, count(*)
from payments cross join (values ('day'), ('hour')) grains (grain) group by 1, 2, 3, 4, 5, 6, 7;

-- A shape or a chain that a large project rarely uses must not be searched for among all its payments.
create index payments_project_id_mode_variant_created_at_id_idx
  on payments (project_id, mode, variant, created_at desc, id desc);
create index payments_project_id_mode_variant_status_created_at_id_idx
  on payments (project_id, mode, variant, status, created_at desc, id desc);
create index payments_project_id_mode_chain_id_created_at_id_idx
  on payments (project_id, mode, chain_id, created_at desc, id desc);
drop index payments_project_id_mode_created_at_id_idx;
drop index payments_project_id_mode_status_created_at_id_idx;

-- Merchants look for a hash without saying on which chain.
create index payments_tx_hash on payments (tx_hash, chain_id) where tx_hash is not null;
drop index payments_transaction;
