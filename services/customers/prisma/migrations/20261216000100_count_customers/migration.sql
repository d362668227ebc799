-- Counts what was there before the triggers, beside the running service. One statement reads a project's rows and what the
-- triggers have added since, of one instant: the difference is what they have not counted, and goes into a shard that no
-- trigger writes. A second run finds the same difference.
do $$
declare
  project text := '';
  of_mode smallint := 0;
begin
  loop
    -- Also a project whose customers have all been erased since.
    select next.project_id, next.mode into project, of_mode from (
      (select project_id, mode from customers
       where (project_id, mode) > (project, of_mode) and deleted_at is null order by 1, 2 limit 1)
      union all
      (select project_id, mode from customer_totals where (project_id, mode) > (project, of_mode) order by 1, 2 limit 1)
    ) next order by 1, 2 limit 1;
    exit when not found;
    insert into customer_totals (project_id, mode, shard, customers)
    select project, of_mode, 32,
      (select count(*) from customers where project_id = project and mode = of_mode and deleted_at is null)
      - (select coalesce(sum(customers), 0) from customer_totals where project_id = project and mode = of_mode and shard < 32)
    on conflict (project_id, mode, shard) do update set customers = excluded.customers;
    commit;
  end loop;
end $$;
