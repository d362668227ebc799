-- Stores the digests of new recovery codes of a member, and deletes those of before.
-- @param $1:memberId
-- @param $2:digests
-- @param $3:now
with replaced as (
  delete from recovery_codes where member_id = $1
)
insert into recovery_codes (digest, member_id, created_at)
select digest, $1::text, $3::timestamptz from unnest($2::bytea[]) digest
