-- Finds the candidates of a tenant that wait for one transaction, and the given ones, the better claims first. A
-- wallet may have signed after the hash was submitted without a payer; a hash that the merchant submits stands for a
-- cancelled payment.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:chainId
-- @param $4:txHash
-- @param $5:recipient
-- @param $6:currency
-- @param $7:ids
-- @param $8:senders
-- @param $9:blockTime
-- @param $10:openedUntil
-- @param $11:max
select c.*, siblings.judged as "judged!", siblings.proven as "proven!", own.first_wins as "first_wins!",
  (own.cancelled and not c.merchant_submitted) as "cancelled!", own.payer as signer,
  (own.has_signed and not own.cancelled
    and case when c.payer is null then not c.merchant_submitted else own.payer = c.payer end) as "signed!",
  array(
    select distinct w.payer from watches w
    where w.chain_id = c.chain_id and w.recipient = c.recipient and w.currency = c.currency and w.state = 'open'
      and not w.cancelled and w.payer = any($8) and w.payer_signed_at is not null
      and w.project_id = c.project_id and w.mode = c.mode and w.payment_id <> c.subject_id
      and w.opened_at <= $10 and w.expires_at >= $9) as "signed_elsewhere!"
from candidates c cross join lateral (
  select coalesce(bool_or(w.unsigned_claims = 'first'), false) as first_wins,
    coalesce(bool_or(w.cancelled), false) as cancelled,
    coalesce(bool_or(w.payer_signed_at is not null), false) as has_signed, max(w.payer) as payer
  from watches w
  where w.project_id = c.project_id and w.payment_id = c.subject_id
) own cross join lateral (
  select count(*)::integer as judged, coalesce(bool_or(s.state = 'confirmed'), false) as proven
  from candidates s
  where s.project_id = c.project_id and s.mode = c.mode and s.subject_id = c.subject_id
    and s.state in ('confirmed', 'surplus', 'rejected')
) siblings
where c.state = 'waiting' and c.project_id = $1 and c.mode = $2
  and (c.chain_id = $3 and c.tx_hash = $4 and c.recipient = $5 and c.currency = $6 or c.id = any($7))
order by (c.merchant_submitted or c.payer is not null) desc, coalesce(c.named_order, c.id)
limit $11
