-- Lets transactions be verified that are not yet, or not for these wallets.
-- @param {Json} $1:transactions
-- @param $2:now
with input as (
  select * from json_to_recordset($1) as input (
    chain_id bigint, tx_hash text, wallet text, give_up_at timestamptz /* null */)
)
insert into transactions as t (chain_id, tx_hash, next_at, give_up_at, created_at)
select distinct on (chain_id, tx_hash) chain_id, tx_hash, $2::timestamptz, give_up_at, $2::timestamptz from input
order by chain_id, tx_hash
on conflict (chain_id, tx_hash) do update set state = 'waiting', next_at = excluded.next_at, misses = 0,
  give_up_at = case when t.give_up_at is not null then greatest(t.give_up_at, excluded.give_up_at) end
where t.state = 'proven' and exists (
  select from input i
  where i.chain_id = t.chain_id and i.tx_hash = t.tx_hash and not jsonb_exists(t.proofs, i.wallet))
