-- Releases deliveries whose owner was removed.
-- @unprepared
-- @param $1:limit
-- @param $2:since First day to look at.
with recursive owners as (
  (select owner from deliveries where state = 'pending' and owner is not null and day >= $2 order by owner limit 1)
  union all
  select (select owner from deliveries where state = 'pending' and day >= $2 and owner > owners.owner
    order by owner limit 1)
  from owners where owners.owner is not null
), orphans as (
  select deliveries.id, deliveries.day from owners
  join deliveries on deliveries.owner = owners.owner and deliveries.state = 'pending' and deliveries.day >= $2
  where not exists (select from workers where workers.id = owners.owner)
  limit $1 for update of deliveries skip locked
)
update deliveries set owner = null
where id = any(array(select id from orphans)) and day = any(array(select distinct day from orphans)) and day >= $2
