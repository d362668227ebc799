-- Writes one step of a leader: where it stands, its blocks and transfers, and the wallets whose transfers have to be
-- decided. The position is compared and set first; where another leader has moved it, nothing is written. A transaction
-- that was given up is verified again where the chain has it. Wallets are queued before anything about them changes: a
-- turn that is writing comes first, and one that writes later sees the mark. Transactions are locked before their
-- transfers, and those before wallets, as what was verified is stored: neither waits for the other in a circle.
-- A transfer of exactly what an open payment asks for is verified while it is decided.
-- @param $1:chainId
-- @param $2:leader
-- @param $3:epoch
-- @param $4:previousHash?
-- @param $5:number
-- @param $6:hash
-- @param $7:watchedXid
-- @param $8:now
-- @param {Json} $9:blocks
-- @param {Json} $10:transfers
with moved as (
  update cursors set head_number = $5, head_hash = $6, watched_xid = $7
  where chain_id = $1 and leader = $2 and epoch = $3 and head_hash is not distinct from $4
  returning chain_id
), stored_blocks as (
  insert into blocks (chain_id, number, hash, mined_at)
  select $1, b.* from json_to_recordset($9) as b (number bigint, hash text, mined_at timestamptz)
  where exists (select from moved)
  on conflict (chain_id, number) do update set hash = excluded.hash, mined_at = excluded.mined_at
), seen as (
  select * from json_to_recordset($10) as t (tx_hash text, kind text, ordinal int, block_number bigint, block_hash text,
    block_time timestamptz, currency text, sender text, recipient text, value numeric,
    reference text /* null */, authorized text /* null */)
  where exists (select from moved)
), sent as (
  -- Nobody names the payment of a deposit address but the address.
  select s.tx_hash, s.kind, s.ordinal, s.block_number, s.block_hash, s.block_time, s.currency, s.sender, s.recipient,
    s.value, coalesce(d.recipient, s.recipient) as wallet, coalesce(d.reference, s.reference, a.reference, w.reference) as name,
    d.reference is null and s.reference is null and coalesce(a.reference, w.reference) is not null as is_authorized
  from seen s left join deposit_addresses d on d.address = s.recipient
    -- Of an authorization whose nonce names nothing, only the transaction that the service has sent is for its payment.
    left join lateral (
      select o.reference from signed_transactions i join authorizations o using (project_id, mode, subject_id)
      where i.chain_id = $1 and i.tx_hash = s.tx_hash and o.payer = s.sender and o.recipient = s.recipient
        and o.token = s.currency
      limit 1) a on s.kind = 'log'
    left join lateral (select v.reference from watches v where v.reference = s.authorized limit 1) w on true
), sought as (
  update transactions t set state = 'waiting', next_at = $8::timestamptz, misses = 0 from (
    select w.tx_hash from transactions w
    where w.chain_id = $1 and w.tx_hash in (select tx_hash from seen) and w.state in ('waiting', 'missing')
    order by w.tx_hash for update) s
  where t.chain_id = $1 and t.tx_hash = s.tx_hash
  returning t.tx_hash
), verified as (
  insert into transactions (chain_id, tx_hash, next_at, give_up_at, created_at)
  select distinct $1, s.tx_hash, $8::timestamptz, $8::timestamptz + interval '1 day', $8::timestamptz
  from sent s join known_recipients k on k.chain_id = $1 and k.recipient = s.wallet and k.currency = s.currency
  where not exists (select from transactions t where t.chain_id = $1 and t.tx_hash = s.tx_hash)
    and exists (select from watches w
      where wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency)
          = wallet_key(k.project_id, k.mode, $1, s.wallet, s.currency)
        and w.base_amount = s.value and w.ends_at >= s.block_time and w.paid_block is null)
  order by s.tx_hash
  on conflict do nothing
  returning tx_hash
), stored_transfers as (
  insert into transfers (chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time, arrived_at, currency,
    sender, recipient, wallet, value, reference, is_authorized, status)
  select $1, tx_hash, kind, ordinal, block_number, block_hash, block_time, block_time, currency, sender, recipient,
    wallet, value, name, is_authorized, 'seen' from sent
  where (select count(*) from sought) + (select count(*) from verified) >= 0
  order by tx_hash, kind, ordinal
  on conflict (chain_id, tx_hash, kind, ordinal) do update set
    block_number = excluded.block_number, block_hash = excluded.block_hash, block_time = excluded.block_time,
    arrived_at = least(transfers.arrived_at, excluded.block_time), value = excluded.value,
    currency = excluded.currency, sender = excluded.sender, recipient = excluded.recipient,
    wallet = excluded.wallet,
    reference = coalesce(excluded.reference, transfers.reference),
    is_authorized = case when excluded.reference is null then transfers.is_authorized else excluded.is_authorized end,
    status = case when transfers.block_hash = excluded.block_hash and transfers.status <> 'orphaned'
      then transfers.status else 'seen' end
  returning id, tx_hash, sender, recipient, wallet, currency, block_number, block_time
), owned as (
  select s.id, k.project_id, k.mode, s.wallet as recipient, s.currency
  from stored_transfers s join known_recipients k on k.chain_id = $1 and k.recipient = s.recipient
    and k.currency = s.currency and (k.sender = '' or k.sender = s.sender)
    and s.block_time >= date_trunc('second', k.known_since)
  union
  select s.id, d.project_id, d.mode, s.wallet, s.currency
  from stored_transfers s join deposit_addresses d on d.address = s.recipient
), deposited as (
  insert into deposits (chain_id, address, currency, project_id, mode, recipient, changed_block, next_at)
  select $1, s.recipient, s.currency, d.project_id, d.mode, d.recipient, max(s.block_number), $8::timestamptz
  from stored_transfers s join deposit_addresses d on d.address = s.recipient
  group by s.recipient, s.currency, d.project_id, d.mode, d.recipient
  order by s.recipient, s.currency
  on conflict (chain_id, address, currency) do update set next_at = excluded.next_at,
    changed_block = greatest(deposits.changed_block, excluded.changed_block)
), swept as (
  update deposits d set next_at = $8::timestamptz, changed_block = greatest(d.changed_block, s.block_number)
  from stored_transfers s where d.chain_id = $1 and d.address = s.sender and d.currency = s.currency
), known as (
  insert into known_recipients (project_id, mode, chain_id, recipient, currency, sender, known_since)
  select d.project_id, d.mode, $1, s.wallet, s.currency, '', min(s.block_time)
  from stored_transfers s join deposit_addresses d on d.address = s.recipient
  where not exists (
    select from known_recipients k
    where k.project_id = d.project_id and k.mode = d.mode and k.chain_id = $1 and k.recipient = s.wallet
      and k.currency = s.currency and k.sender = '')
  group by 1, 2, 4, 5
  order by 1, 2, 4, 5
  on conflict do nothing
), queued as (
  insert into attribution_queue as q (project_id, mode, chain_id, recipient, currency, next_at)
  select distinct project_id, mode, $1, recipient, currency, $8::timestamptz from owned
  order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, chain_id, recipient, currency) do update set
    marks = q.marks + 1, next_at = least(q.next_at, excluded.next_at)
  returning q.project_id
), attributed as (
  insert into attributions as a (transfer_id, project_id, mode, wallet_key)
  select id, project_id, mode, wallet_key(project_id, mode, $1, recipient, currency) from owned
  where (select count(*) from queued) > 0
  order by id, project_id, mode
  on conflict (transfer_id, project_id, mode) do update set is_open = true where a.payment_id is null and not a.is_open
)
select (select count(*)::int from moved) as "moved!", (select count(*)::int from owned) as "found!"
