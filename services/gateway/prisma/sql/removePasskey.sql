-- Removes a passkey of a member, unless only the least number is left. All are locked in one order, so the second of two
-- concurrent removals sees the first.
-- @param $1:memberId
-- @param $2:credentialId
-- @param $3:least
with own as (
  select credential_id from passkeys where member_id = $1 order by credential_id for update
), removed as (
  delete from passkeys
  where member_id = $1 and credential_id = $2 and (select count(*) from own) > $3::bigint
  returning 1
)
select (select count(*)::int from removed) as "removed!",
  exists (select from own where credential_id = $2) as "known!"
