-- Writes the movements, balances and differences of accounts up to a block. An account whose lease has passed to another
-- process changes nothing.
-- @param $1:block
-- @param $2:accounts
-- @param $3:movements
-- @param $4:differences
with given as (
  select * from json_to_recordset($2) as g (id bigint, lease bigint, expected numeric /* null */, balance numeric /* null */,
    nonce bigint /* null */)
), checked as (
  update book_accounts b set checked_block = $1, expected = g.expected,
    opened_block = case when b.opened_block = -1 then $1 else b.opened_block end,
    balance = coalesce(g.balance, b.balance), nonce = coalesce(g.nonce, b.nonce),
    balance_block = case when g.balance is null then b.balance_block else $1 end,
    leased_until = '2000-01-01T00:00:00Z'
  from given g where b.id = g.id and b.lease = g.lease
  returning b.id
), moved as (
  insert into book_movements (account_id, tx_hash, kind, ordinal, is_in, value, block_number, block_time)
  select m.* from json_to_recordset($3) as m (account_id bigint, tx_hash text, kind text, ordinal int, is_in boolean,
    value numeric, block_number bigint, block_time timestamptz)
  where m.account_id in (select id from checked)
  on conflict do nothing
), differing as (
  insert into book_differences (account_id, kind, reference, block_number, recorded, on_chain)
  select d.account_id, 'balance', 'block ' || $1, $1, d.recorded, d.on_chain
  from json_to_recordset($4) as d (account_id bigint, recorded numeric, on_chain numeric)
  where d.account_id in (select id from checked)
  on conflict do nothing
)
select count(*)::int as "count!" from checked
