-- The state of a need, locked until the transaction ends; creates it where there is none. That of another kind is over.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:needId
-- @param $4:kind
-- @param $5:now
insert into need_states (project_id, mode, need_id, kind, changed_at) values ($1, $2, $3, $4, $5)
on conflict (project_id, mode, need_id) do update set kind = excluded.kind, changed_at = excluded.changed_at,
  taken_by = case when need_states.kind = excluded.kind then need_states.taken_by end,
  note = case when need_states.kind = excluded.kind then need_states.note end,
  done_at = case when need_states.kind = excluded.kind then need_states.done_at end
returning need_id, kind, taken_by, note, done_at
