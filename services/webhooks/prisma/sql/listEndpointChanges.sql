-- Lists the history of an endpoint, newest first. The total stops at 10,000, so that no count reads a long history.
-- @param $1:endpointId
-- @param $2:projectId
-- @param $3:mode
-- @param $4:limit
-- @param $5:offset
with history as (
  select id, change, url, happened_at, changed_by from endpoint_changes
  where endpoint_id = $1 and project_id = $2 and mode = $3 order by id desc limit 10000
)
select (select count(*)::int from history) as "total!", page.id, page.change as "change!", page.url,
  page.happened_at as "happened_at!", page.changed_by
from (select) one left join (
  select id, change, url, happened_at, changed_by from history order by id desc limit $4 offset $5
) page on true
order by page.id desc
