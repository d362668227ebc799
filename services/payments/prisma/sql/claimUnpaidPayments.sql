-- Claims payments that were not paid in time. They stay locked until the end of the transaction.
-- @param $1:now
-- @param $2:limit
select payment.* /* except steps, changed_xid */ from payments payment
where status in ('created', 'pending') and expires_at < $1
order by expires_at limit $2 for update skip locked
