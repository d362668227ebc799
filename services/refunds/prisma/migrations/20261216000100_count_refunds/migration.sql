-- Counts what was there before the triggers, beside the running service. One statement reads a project's rows and what the
-- triggers have added since, of one instant: the difference is what they have not counted, and goes into a shard that no
-- trigger writes. A second run finds the same difference.
do $$
declare
  project text := '';
  of_mode smallint := 0;
begin
  loop
    -- Also a project whose refunds have all left since.
    select next.project_id, next.mode into project, of_mode from (
      (select project_id, mode from refunds where (project_id, mode) > (project, of_mode) order by 1, 2 limit 1)
      union all
      (select project_id, mode from refund_totals where (project_id, mode) > (project, of_mode) order by 1, 2 limit 1)
    ) next order by 1, 2 limit 1;
    exit when not found;
    insert into refund_totals (project_id, mode, status, shard, refunds)
    select project, of_mode, status, 32, sum(n) from (
      select status, count(*) as n from refunds where project_id = project and mode = of_mode group by status
      union all
      select status, -refunds from refund_totals where project_id = project and mode = of_mode and shard < 32
    ) missing group by status
    on conflict (project_id, mode, status, shard) do update set refunds = excluded.refunds;
    commit;
  end loop;
end $$;
