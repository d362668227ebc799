-- Finds one intent.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subjectId
select i.* from intents i where project_id = $1 and mode = $2 and subject_id = $3
