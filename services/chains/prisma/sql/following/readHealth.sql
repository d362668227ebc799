-- How far the chains are followed, and at how many addresses of a tenant payments wait.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:chainIds
-- @param $4:addressesMax
select h.chain_id, c.head_number, c.final_number, b.mined_at, c.tip_number, c.tip_seen_at, watched.addresses as "addresses!"
from chains h left join cursors c using (chain_id)
  left join blocks b on b.chain_id = c.chain_id and b.number = c.head_number
  cross join lateral (
    with recursive found as (
      (select recipient from watches
        where chain_id = h.chain_id and project_id = $1 and mode = $2 and is_followed
        order by recipient limit 1)
      union all
      select next.recipient from found cross join lateral (
        select w.recipient from watches w
        where w.chain_id = h.chain_id and w.project_id = $1 and w.mode = $2 and w.is_followed
          and w.recipient > found.recipient
        order by w.recipient limit 1) next
    )
    select count(*)::int as addresses from (select recipient from found limit $4) counted
  ) watched
where h.chain_id = any($3)
