-- Lists the newest positions of feeds, in the order of the list; 0 where a feed has no event.
-- @param {Json} $1:feeds
select coalesce(event_feeds.last_position, 0) as "position!"
from json_to_recordset($1) as feed (project_id text, mode smallint, place int)
left join event_feeds using (project_id, mode) order by feed.place
