-- Locks a person of a project until the end of the transaction: two refunds at once would both find room below a limit.
-- @param $1:projectId
-- @param $2:requestedBy
select pg_advisory_xact_lock(hashtextextended('requester ' || $1::text || $2::text, 0)) is not null as "locked!";
