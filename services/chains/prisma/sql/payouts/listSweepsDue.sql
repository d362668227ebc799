-- Lists recipients of a tenant whose deposit addresses are due to be swept: enough of them, or one for long enough.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:chainId
-- @param {Json} $4:currencies
-- @param $5:enough
-- @param $6:waitingSince
-- @param $7:now
select d.recipient, d.currency
from json_to_recordset($4) as c (currency text, sweep_min numeric)
  join deposits d on d.project_id = $1 and d.mode = $2 and d.chain_id = $3 and d.currency = c.currency
    and d.amount >= c.sweep_min
where d.amount > 0 and d.sweep_id is null and d.sweep_after <= $7 and d.read_block >= d.changed_block
group by d.recipient, d.currency
having count(*) >= $5 or min(d.sweep_after) <= $6
