-- Claims payments that have waited long enough for a hash, for a proof or for a review.
-- @param $1:now
-- @param $2:limit
select payment.* /* except steps, changed_xid */ from payments payment
where status = 'processing' and due_at < $1
order by due_at limit $2 for update skip locked
