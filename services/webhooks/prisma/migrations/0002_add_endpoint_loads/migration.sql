alter table endpoints drop constraint endpoints_concurrency_bounded;
alter table endpoints add constraint endpoints_concurrency_bounded check (concurrency_max between 1 and 64) not valid;
alter table endpoints validate constraint endpoints_concurrency_bounded;

-- Rounded up, the first secret of an endpoint would come into force after the statement that created it.
alter table secrets alter column active_at set default date_trunc('milliseconds', current_timestamp);

-- Load of endpoints as merchants see it. A worker writes a row while the load of an endpoint differs from that of an
-- endpoint at rest; the rows leave with the worker.
create table endpoint_loads (
  endpoint_id text not null,
  worker      integer not null,
  -- Limit of requests in flight that the worker has found.
  concurrency smallint not null,
  -- Deliveries in the worker's memory that are due and wait for a slot.
  backlog     integer not null,

  constraint endpoint_loads_pkey primary key (endpoint_id, worker),
  constraint endpoint_loads_worker_fkey foreign key (worker) references workers (id) on delete cascade on update cascade
) with (fillfactor = 50);
create index endpoint_loads_worker_idx on endpoint_loads (worker);
