-- Abandons candidates of chains without a provider, after their time. Those of refunds and settlements stay: only a
-- verdict frees the money.
-- @param $1:giveUpBefore
-- @param $2:chainIds
-- @param $3:outgoingPrefixes
update candidates set state = 'abandoned'
where state = 'waiting' and give_up_at < $1
  and chain_id <> all ($2) and split_part(subject_id, '_', 1) <> all ($3)
  and reorged_at is null and coalesce(waits_for not in ('depth', 'agreement', 'trace', 'signature'), true)
  and needs is null
