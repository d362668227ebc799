-- Every payment moves from the old table into the part of its status, in many small transactions beside the running
-- service. An interrupted move continues where it ended.
do $$
declare
  last text := '';
  moving text[];
begin
  loop
    select array_agg(id order by id) into moving
      from (select id from payments_before where id > last order by id limit 2000 for update) as page;
    exit when moving is null;
    perform payments_move_over(moving);
    last := moving[cardinality(moving)];
    commit;
  end loop;
end $$;
