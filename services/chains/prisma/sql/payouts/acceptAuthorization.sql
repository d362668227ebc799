-- Stores an authorization with its intent, where gas is left for it and nothing stands against it. The row of its sponsor
-- is locked before, so that the sums hold.
-- @param $1:authorizations Its one row.
-- @param $2:now
-- @param $3:gasPerDay
-- @param $4:gasPerProjectDay
-- @param $5:failedMax
with given as (
  select * from json_to_recordset($1) as g (subject_id text, project_id text, mode smallint, request_id text,
    payment_id text, chain_id bigint, token text, decimals smallint, payer text, recipient text, value numeric,
    nonce text, valid_before timestamptz, reference text, names_payment boolean, sponsor text, gas_cost numeric, opened_block bigint,
    call_data text)
), promised as (
  select coalesce(sum(a.gas_cost), 0) as total,
    coalesce(sum(a.gas_cost) filter (where a.project_id = g.project_id), 0) as own
  from given g left join authorizations a on a.chain_id = g.chain_id and a.sponsor = g.sponsor
    and a.created_at > $2::timestamptz - interval '24 hours'
), failed as (
  select count(*) as n from given g join authorizations a on a.payer = g.payer and a.state = 'failed'
    and a.ended_at > $2::timestamptz - interval '1 hour'
), paid as (
  -- The payments service learns of it a moment later, and a nonce that names nothing could pay a second time.
  select exists (
    select from given g join authorizations a using (project_id, mode, payment_id)
    where a.state = 'used' and (a.names_payment or exists (
      select from signed_transactions s where s.chain_id = a.chain_id and s.tx_hash = a.tx_hash))) as is_paid
), checked as (
  select g.*, p.total + g.gas_cost <= $3::numeric and p.own + g.gas_cost <= $4::numeric and f.n < $5::int
    as is_sponsored, d.is_paid
  from given g, promised p, failed f, paid d
), stored as (
  insert into authorizations (subject_id, project_id, mode, payment_id, chain_id, token, payer, recipient, value, nonce,
    valid_before, reference, names_payment, sponsor, gas_cost, opened_block, created_at)
  select subject_id, project_id, mode, payment_id, chain_id, token, payer, recipient, value, nonce, valid_before,
    reference, names_payment, sponsor, gas_cost, opened_block, $2::timestamptz
  from checked where is_sponsored and not is_paid
  on conflict do nothing
  returning subject_id
), intended as (
  insert into intents (subject_id, project_id, mode, request_id, kind, chain_id, source, destination, currency, decimals,
    base_amount, call_data, owed_since, version, next_at, created_at)
  select subject_id, project_id, mode, request_id, 'authorization', chain_id, sponsor, recipient, token, decimals, value,
    call_data, $2::timestamptz, 1, $2::timestamptz, $2::timestamptz
  from checked join stored using (subject_id)
)
select (select is_sponsored from checked) as "is_sponsored!", exists (select from stored) as "is_stored!"
