-- Finds other open payments that the transaction may be meant for, by payments of any wallet and by payments of its
-- senders: each branch reads the index that was made for it. A payment whose own hash has brought its amount is not
-- among them, nor is one that was opened after the hash was known.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:chainId
-- @param $4:txHash
-- @param $5:recipient
-- @param $6:currency
-- @param $7:payers
-- @param $8:amounts
-- @param $9:firstBlockTime
-- @param $10:openedUntil
-- @param $11:openedBefore?
-- @param $12:max
(select w.payment_id as "subject_id!", w.payer as "payer?", w.payer_declared_at as "payer_declared_at?",
    w.base_amount as "base_amount!", coalesce(w.unsigned_claims = 'first', false) as "first_wins!",
    false as "ambiguous!"
  from watches w
  where w.payer is null
    and w.chain_id = $3 and w.recipient = $5 and w.currency = $6 and w.state = 'open' and not w.cancelled
    and w.project_id = $1 and w.mode = $2 and w.base_amount = any($8)
    and w.opened_at <= $10 and w.expires_at >= $9 and ($11::timestamptz is null or w.opened_at < $11)
    and not exists (
      select from candidates o join transfers t on t.chain_id = o.chain_id and t.tx_hash = o.tx_hash
      where o.project_id = w.project_id and o.mode = w.mode and o.subject_id = w.payment_id and o.state = 'waiting'
        and o.tx_hash <> $4 and t.recipient = w.recipient and t.currency = w.currency and t.value = w.base_amount
        and t.status <> 'orphaned' and (o.payer is null or o.payer = t.sender)
        and not exists (
          select from allocations a where a.transfer_id = t.id and a.project_id = $1 and a.mode = $2)
        and not exists (
          select from candidates c
          where c.chain_id = $3 and c.tx_hash = $4 and c.subject_id = w.payment_id
            and c.project_id = w.project_id and c.mode = w.mode and c.state = 'waiting'))
  order by w.base_amount, w.expires_at limit $12)
union all
(select w.payment_id, w.payer, w.payer_declared_at, w.base_amount, coalesce(w.unsigned_claims = 'first', false), false
  from watches w
  where w.payer = any($7)
    and w.chain_id = $3 and w.recipient = $5 and w.currency = $6 and w.state = 'open' and not w.cancelled
    and w.project_id = $1 and w.mode = $2 and w.base_amount = any($8)
    and w.opened_at <= $10 and w.expires_at >= $9 and ($11::timestamptz is null or w.opened_at < $11)
    and not exists (
      select from candidates o join transfers t on t.chain_id = o.chain_id and t.tx_hash = o.tx_hash
      where o.project_id = w.project_id and o.mode = w.mode and o.subject_id = w.payment_id and o.state = 'waiting'
        and o.tx_hash <> $4 and t.recipient = w.recipient and t.currency = w.currency and t.value = w.base_amount
        and t.status <> 'orphaned' and (o.payer is null or o.payer = t.sender)
        and not exists (
          select from allocations a where a.transfer_id = t.id and a.project_id = $1 and a.mode = $2)
        and not exists (
          select from candidates c
          where c.chain_id = $3 and c.tx_hash = $4 and c.subject_id = w.payment_id
            and c.project_id = w.project_id and c.mode = w.mode and c.state = 'waiting'))
  limit $12)
union all
(select c.subject_id, c.payer, c.payer_declared_at, c.base_amount, false, true
  from candidates c
  where c.chain_id = $3 and c.tx_hash = $4 and c.recipient = $5 and c.currency = $6
    and c.project_id = $1 and c.mode = $2 and c.state = 'rejected' and c.reason = 'ambiguous'
  limit $12)
