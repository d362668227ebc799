-- Deletes a batch of 1000 expired tokens. By their place in the table, so that a batch never reads the whole of it.
-- @param $1:before
delete from sso_tokens where ctid = any (array(
  select ctid from sso_tokens where expires_at < $1
  order by expires_at limit 1000 for update skip locked))
