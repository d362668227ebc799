-- Claims payments whose hash was not found long after their time limit. A payment that lost its proof waits a day for
-- the verdict of chains, and one whose transaction is in a block thirty days, because the money may be there.
-- @param $1:expiredBefore
-- @param $2:limit
select payment.* /* except steps */ from payments payment
where status = 'processing' and expires_at < $1
  and not coalesce(reorged_at > $1::timestamptz - interval '1 day', false)
  and not ((block_number is not null or needs is not null) and expires_at > $1::timestamptz - interval '30 days')
order by expires_at limit $2 for update skip locked
