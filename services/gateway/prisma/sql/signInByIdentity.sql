-- Opens a sign-in for the member who has the identity. The first time it is bound to the member with its address, who has
-- no identity of this issuer yet; without an address that the issuer has verified it is bound to nobody. Nothing happens
-- for an answer that was used before.
-- @param $1:challenge
-- @param $2:expiresAt
-- @param $3:issuer
-- @param $4:subject
-- @param $5:email?
-- @param $6:now
-- @param $7:digest
-- @param $8:agent?
with answered as (
  insert into used_challenges (digest, expires_at) values ($1, $2) on conflict do nothing returning digest
), bound as (
  insert into identities (issuer, subject, member_id, created_at)
  select $3::text, $4::text, member.id, $6::timestamptz from members member, answered
  where member.email = $5 and member.disabled_at is null
    and not exists (select from identities known where known.issuer = $3 and known.subject = $4)
  on conflict do nothing
  returning member_id
), owner as (
  select member_id from bound
  union all
  select identity.member_id from answered, identities identity join members member on member.id = identity.member_id
  where identity.issuer = $3 and identity.subject = $4 and member.disabled_at is null
)
insert into member_sessions (digest, member_id, method, created_at, seen_at, agent)
select $7::bytea, member_id, 'oidc', $6::timestamptz, $6::timestamptz, $8::text from owner
returning member_id
