-- Locks a member until the end of the transaction: what is counted of the member's passkeys stays true.
-- @param $1:memberId
select id from members where id = $1 and disabled_at is null for update
