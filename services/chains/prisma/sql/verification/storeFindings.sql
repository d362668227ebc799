-- Stores what was found of transactions, with their transfers, and queues the wallets of every tenant that is concerned,
-- before their decisions change. A proof stays while the transaction is read again for another wallet.
-- A transfer that an earlier reading told and that is not in a proven transaction leaves the chain.
-- @param {Json} $1:transactions
-- @param {Json} $2:transfers
-- @param $3:now
with input as (
  select * from json_to_recordset($1) as input (
    chain_id bigint, tx_hash text, state text, next_at timestamptz, give_up_at timestamptz /* null */, misses integer, sender text /* null */,
    nonce bigint /* null */, seen_block bigint /* null */, replaced_by text /* null */,
    first_seen_at timestamptz /* null */, waits_for text /* null */, block_number bigint /* null */,
    block_hash text /* null */, block_time timestamptz /* null */, proofs jsonb, chain_head bigint /* null */, agreeing smallint /* null */, contradicting smallint /* null */, is_news boolean, targets jsonb)
), shown as (
  select * from json_to_recordset($2) as shown (
    chain_id bigint, tx_hash text, kind text, ordinal integer, block_number bigint, block_hash text,
    block_time timestamptz, currency text, sender text, recipient text, value numeric,
    reference text /* null */, authorized text /* null */)
), locked as (
  select t.chain_id, t.tx_hash from input i join transactions t using (chain_id, tx_hash)
  where t.state = 'waiting'
  order by t.chain_id, t.tx_hash for update of t
), stored as (
  update transactions t set state = i.state, next_at = i.next_at, misses = i.misses, sender = i.sender, nonce = i.nonce,
    seen_block = i.seen_block, replaced_by = i.replaced_by, first_seen_at = coalesce(t.first_seen_at, i.first_seen_at),
    looked_at = $3::timestamptz, waits_for = i.waits_for, block_number = i.block_number, block_hash = i.block_hash,
    block_time = i.block_time, chain_head = i.chain_head,
    proofs = case when i.state = 'waiting' then t.proofs else i.proofs end,
    providers_agreeing = i.agreeing, providers_contradicting = i.contradicting
  from input i join locked using (chain_id, tx_hash)
  where t.chain_id = i.chain_id and t.tx_hash = i.tx_hash
  returning t.chain_id, t.tx_hash, t.replaced_by, t.state, i.is_news, i.targets
), refuted as (
  update transfers t set status = 'orphaned'
  from stored n
  where n.state in ('proven', 'failed') and t.chain_id = n.chain_id and t.tx_hash = n.tx_hash
    and (t.status = 'seen' or t.kind = 'trace' and t.status = 'final')
    and n.targets @> to_jsonb(t.recipient || ' ' || t.currency) and not exists (
      select from shown s
      where s.chain_id = t.chain_id and s.tx_hash = t.tx_hash and s.kind = t.kind and s.ordinal = t.ordinal)
  returning t.id, t.chain_id, t.wallet as recipient, t.currency
), removed as (
  select a.project_id, a.mode, r.chain_id, r.recipient, r.currency from refuted r
    join attributions a on a.transfer_id = r.id
), replacements as (
  insert into transactions (chain_id, tx_hash, next_at, give_up_at, created_at, is_submitted)
  select distinct i.chain_id, i.replaced_by, $3::timestamptz, i.give_up_at, $3::timestamptz, true
  from input i where i.replaced_by is not null
  order by 1, 2
  on conflict (chain_id, tx_hash) do nothing
), facts as (
  -- Nobody names the payment of a deposit address but the address.
  select distinct on (s.chain_id, s.tx_hash, s.kind, s.ordinal) s.chain_id, s.tx_hash, s.kind, s.ordinal,
    s.block_number, s.block_hash, s.block_time, s.currency, s.sender, s.recipient, s.value,
    coalesce(d.recipient, s.recipient) as wallet, coalesce(d.reference, s.reference, a.reference, w.reference) as name,
    d.reference is null and s.reference is null and coalesce(a.reference, w.reference) is not null as is_authorized
  from shown s left join deposit_addresses d on d.address = s.recipient
    -- Of an authorization whose nonce names nothing, only the transaction that the service has sent is for its payment.
    left join lateral (
      select o.reference from signed_transactions i join authorizations o using (project_id, mode, subject_id)
      where i.chain_id = s.chain_id and i.tx_hash = s.tx_hash and o.payer = s.sender and o.recipient = s.recipient
        and o.token = s.currency
      limit 1) a on s.kind = 'log'
    left join lateral (select v.reference from watches v where v.reference = s.authorized limit 1) w on true
  order by s.chain_id, s.tx_hash, s.kind, s.ordinal
), written as (
  insert into transfers (chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time, arrived_at, currency,
    sender, recipient, wallet, value, reference, is_authorized, status)
  select chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time, block_time, currency, sender, recipient,
    wallet, value, name, is_authorized, 'seen'
  from facts
  on conflict (chain_id, tx_hash, kind, ordinal) do update set
    block_number = excluded.block_number, block_hash = excluded.block_hash, block_time = excluded.block_time,
    arrived_at = least(transfers.arrived_at, excluded.block_time), value = excluded.value,
    currency = excluded.currency, sender = excluded.sender, recipient = excluded.recipient,
    wallet = excluded.wallet,
    reference = coalesce(excluded.reference, transfers.reference),
    is_authorized = case when excluded.reference is null then transfers.is_authorized else excluded.is_authorized end,
    status = case when transfers.block_hash = excluded.block_hash and transfers.status <> 'orphaned'
      then transfers.status else 'seen' end
  returning id, chain_id, tx_hash, sender, recipient, wallet, currency, block_number, block_time
), deposited as (
  insert into deposits (chain_id, address, currency, project_id, mode, recipient, changed_block, next_at)
  select w.chain_id, w.recipient, w.currency, d.project_id, d.mode, d.recipient, max(w.block_number), $3::timestamptz
  from written w join deposit_addresses d on d.address = w.recipient
  group by w.chain_id, w.recipient, w.currency, d.project_id, d.mode, d.recipient
  order by w.chain_id, w.recipient, w.currency
  on conflict (chain_id, address, currency) do update set next_at = excluded.next_at,
    changed_block = greatest(deposits.changed_block, excluded.changed_block)
), concerned as (
  select s.project_id, s.mode, s.chain_id, s.recipient, s.currency, s.tx_hash
  from stored n join submissions s on s.chain_id = n.chain_id and s.tx_hash = n.tx_hash
  where n.is_news
  union
  select s.project_id, s.mode, s.chain_id, s.recipient, s.currency, n.tx_hash
  from stored n join transactions r on r.chain_id = n.chain_id and r.replaced_by = n.tx_hash
    join submissions s on s.chain_id = r.chain_id and s.tx_hash = r.tx_hash
  where n.is_news
), owned as (
  select w.id, k.project_id, k.mode, w.chain_id, w.recipient, w.currency
  from written w join known_recipients k on k.chain_id = w.chain_id and k.recipient = w.recipient
    and k.currency = w.currency and (k.sender = '' or k.sender = w.sender)
    and w.block_time >= date_trunc('second', k.known_since)
  union
  select w.id, c.project_id, c.mode, w.chain_id, w.recipient, w.currency
  from written w join concerned c on c.chain_id = w.chain_id and c.tx_hash = w.tx_hash and c.recipient = w.recipient
    and c.currency = w.currency
  union
  select w.id, d.project_id, d.mode, w.chain_id, w.wallet, w.currency
  from written w join deposit_addresses d on d.address = w.recipient
), queued as (
  insert into attribution_queue as q (project_id, mode, chain_id, recipient, currency, next_at)
  select project_id, mode, chain_id, recipient, currency, $3::timestamptz from (
    select project_id, mode, chain_id, recipient, currency from concerned
    union
    select project_id, mode, chain_id, recipient, currency from owned
    union
    select project_id, mode, chain_id, recipient, currency from removed
  ) wallets
  order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, chain_id, recipient, currency) do update set
    marks = q.marks + 1, next_at = least(q.next_at, excluded.next_at)
  returning q.project_id
), reopened as (
  update attributions a set is_open = true from refuted r
  where a.transfer_id = r.id and (select count(*) from queued) > 0
)
insert into attributions as a (transfer_id, project_id, mode, wallet_key)
select id, project_id, mode, wallet_key(project_id, mode, chain_id, recipient, currency) from owned
where (select count(*) from queued) > 0
order by id, project_id, mode
on conflict (transfer_id, project_id, mode) do update set is_open = true where a.payment_id is null and not a.is_open
