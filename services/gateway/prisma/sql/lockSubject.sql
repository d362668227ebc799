-- Locks a subject until the end of the transaction: two exchanges would choose the same slot.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subject
select pg_advisory_xact_lock(hashtextextended('session ' || $1::text || $2::text || encode($3::bytea, 'hex'), 0))
  is not null as "locked!"
