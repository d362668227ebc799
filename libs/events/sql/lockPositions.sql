-- Locks a consumer's positions, and creates those that are missing.
-- @param $1:consumer
-- @param {Json} $2:places
insert into inbox_positions (consumer, topic, partition, record_offset)
select distinct $1, topic, partition, -1
from json_to_recordset($2) as places (topic text, partition integer)
order by topic, partition
on conflict (consumer, topic, partition) do update set record_offset = inbox_positions.record_offset
