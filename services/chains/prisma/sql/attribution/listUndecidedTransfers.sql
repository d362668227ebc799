-- Lists transfers to recipients of the tenant that pay nothing and wait for a person's decision, the newest first. The
-- condition is that of the index attributions_undecided.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:before
-- @param $4:limit
select m.id as "id!", m.created_at as "created_at!", m.chain_id as "chain_id!", m.tx_hash as "tx_hash!",
  m.kind as "kind!", m.ordinal as "ordinal!", m.currency as "currency!", m.sender as "sender!",
  m.recipient as "recipient!", m.value as "value!", m.block_number as "block_number!", m.block_time as "block_time!",
  m.status as "status!", m.subject_id, m.confirmed_at, m.rule, m.reason, m.candidates, m.decimals as "decimals!"
from attributions d
join merchant_transfers m on m.project_id = d.project_id and m.mode = d.mode and m.id = d.transfer_id
where d.project_id = $1 and d.mode = $2 and d.transfer_id < $3 and d.payment_id is null
  and d.reason in
    ('several_fit', 'more_than_due', 'held', 'late', 'no_payment', 'named_elsewhere', 'unknown_reference',
     'wrong_currency')
  and m.unmatched
order by d.transfer_id desc limit $4
