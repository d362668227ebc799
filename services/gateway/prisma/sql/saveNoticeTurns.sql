-- Gives each new target of a project its turn at once, and removes those that are not named any more.
-- @param $1:projectId
-- @param $2:targets
-- @param $3:now
with removed as (
  delete from notice_turns where project_id = $1 and not target = any($2)
)
insert into notice_turns (project_id, target, due_at)
select $1, target, $3::timestamptz from unnest($2::text[]) as named (target)
on conflict do nothing
