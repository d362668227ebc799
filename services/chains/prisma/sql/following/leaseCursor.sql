-- Takes or renews the lease on following a chain. The epoch grows with each new leader; no row where another has the lease.
-- @param $1:chainId
-- @param $2:leader
-- @param $3:leaseMs
-- @param $4:tipNumber?
-- @param $5:tipSeenAt?
insert into cursors as c (chain_id, epoch, leader, leased_until)
values ($1, 1, $2, clock_timestamp() + $3::int * interval '1 millisecond')
on conflict (chain_id) do update set leader = $2, leased_until = excluded.leased_until,
  epoch = c.epoch + case when c.leader = $2 then 0 else 1 end,
  tip_number = coalesce($4::bigint, c.tip_number), tip_seen_at = coalesce($5::timestamptz, c.tip_seen_at)
where c.leader = $2 or c.leader is null or c.leased_until < clock_timestamp()
returning epoch, head_number, head_hash, watched_xid, final_number
