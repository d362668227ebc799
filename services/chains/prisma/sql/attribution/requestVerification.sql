-- Lets transactions be verified that are not yet, or not for these wallets. Rows that wait already are neither locked nor
-- inserted again, which waits for whoever writes them: their verification may be waiting for the wallet.
-- @param {Json} $1:transactions
-- @param $2:now
with input as (
  select * from json_to_recordset($1) as input (
    chain_id bigint, tx_hash text, wallet text, give_up_at timestamptz /* null */)
), inserted as (
  insert into transactions (chain_id, tx_hash, next_at, give_up_at, created_at)
  select distinct on (chain_id, tx_hash) chain_id, tx_hash, $2::timestamptz, give_up_at, $2::timestamptz
  from input i
  where not exists (select from transactions t where t.chain_id = i.chain_id and t.tx_hash = i.tx_hash)
  order by chain_id, tx_hash
  on conflict (chain_id, tx_hash) do nothing
)
update transactions t set state = 'waiting', next_at = $2::timestamptz, misses = 0,
  give_up_at = case when t.give_up_at is not null then greatest(t.give_up_at, i.give_up_at) end
from input i
where t.chain_id = i.chain_id and t.tx_hash = i.tx_hash and t.state = 'proven' and not jsonb_exists(t.proofs, i.wallet)
