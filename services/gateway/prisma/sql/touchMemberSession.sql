-- Records that a sign-in was used.
-- @param $1:digest
-- @param $2:now
update member_sessions set seen_at = $2 where digest = $1 and seen_at < $2
