-- Writes the movements, balances and differences of accounts up to a block, all of one month. An account whose lease has
-- passed to another process changes nothing.
-- @param $1:block
-- @param $2:time
-- @param $3:accounts
-- @param $4:movements
-- @param $5:differences
with given as (
  select g.*, to_char($2::timestamptz at time zone 'UTC', 'YYYY-MM') as month
  from json_to_recordset($3) as g (id bigint, lease bigint, expected numeric /* null */, balance numeric /* null */,
    nonce bigint /* null */, moved numeric, movements int, fees numeric, unexplained numeric)
), checked as (
  update book_accounts b set checked_block = $1, expected = g.expected,
    opened_block = case when b.opened_block = -1 then $1 else b.opened_block end,
    balance = coalesce(g.balance, b.balance), nonce = coalesce(g.nonce, b.nonce),
    balance_block = case when g.balance is null then b.balance_block else $1 end,
    leased_until = '2000-01-01T00:00:00Z'
  from given g where b.id = g.id and b.lease = g.lease
  returning b.id
), before as (
  -- The accounts as they were: a statement sees no row that it changes itself.
  select g.*, b.opened_block = -1 as is_new, b.checked_block, b.expected as reckoned,
    case when b.balance_block = b.checked_block then b.balance end as read
  from checked c join given g using (id) join book_accounts b using (id)
), closed as (
  update book_months last set closed_block = b.checked_block, balance = b.read
  from before b where last.account_id = b.id and last.month < b.month and last.closed_block is null
), summed as (
  -- Where no balance could be read before, the first one and the movements tell the opening.
  insert into book_months (account_id, month, opening, watched_since, moved, movements, fees, unexplained)
  select id, month, case when is_new then expected else coalesce(reckoned, balance - moved + fees) end,
    case when is_new then $2::timestamptz end, moved, movements, fees, unexplained
  from before b
  where movements > 0 or fees > 0 or unexplained <> 0
    or not exists (select from book_months known where known.account_id = b.id and known.month = b.month
      and (known.opening is not null or b.balance is null))
  on conflict (account_id, month) do update set
    opening = coalesce(book_months.opening, excluded.opening - book_months.moved + book_months.fees),
    moved = book_months.moved + excluded.moved,
    movements = book_months.movements + excluded.movements, fees = book_months.fees + excluded.fees,
    unexplained = book_months.unexplained + excluded.unexplained
), moved as (
  insert into book_movements (account_id, tx_hash, kind, ordinal, is_in, value, block_number, block_time)
  select m.* from json_to_recordset($4) as m (account_id bigint, tx_hash text, kind text, ordinal int, is_in boolean,
    value numeric, block_number bigint, block_time timestamptz)
  where m.account_id in (select id from checked)
  on conflict do nothing
), differing as (
  insert into book_differences (account_id, kind, reference, block_number, recorded, on_chain)
  select d.account_id, 'balance', 'block ' || $1, $1, d.recorded, d.on_chain
  from json_to_recordset($5) as d (account_id bigint, recorded numeric, on_chain numeric)
  where d.account_id in (select id from checked)
  on conflict do nothing
)
select count(*)::int as "count!" from checked
