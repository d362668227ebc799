-- Notes needs that a target was told of. One that was removed meanwhile has none.
-- @param $1:projectId
-- @param $2:target
-- @param {Json} $3:told
-- @param $4:now
insert into told_needs (project_id, target, mode, need_id, subject, told_at)
select turn.project_id, turn.target, told.mode, told.need_id, told.subject, $4::timestamptz
from notice_turns turn, json_to_recordset($3) as told (mode text, need_id text, subject text)
where turn.project_id = $1 and turn.target = $2
on conflict do nothing
