-- Stores a link that signs a member in.
-- @param $1:digest
-- @param $2:memberId
-- @param $3:madeBy
-- @param $4:now
-- @param $5:expiresAt
insert into one_time_links (digest, member_id, made_by, created_at, expires_at) values ($1, $2, $3, $4, $5)
