-- Stores the ids of the events that are new to a consumer, and moves its positions.
-- An event cannot have been handled before it occurred, so older partitions are not searched; two days are more than
-- clocks differ.
-- @param $1:consumer
-- @param {Json} $2:deliveries
with delivery as materialized (
  select * from json_to_recordset($2) as delivery (
    event_id text, occurred_at timestamptz /* null */, topic text, partition integer /* null */,
    record_offset bigint /* null */, published_at timestamptz /* null */)
), fresh as (
  insert into inbox_ids (consumer, event_id)
  select $1, event_id from delivery
  where not exists (select from inbox_ids known
      where known.consumer = $1 and known.event_id = delivery.event_id and known.day <= now()
        and known.day >= coalesce(least(delivery.occurred_at, now()) - interval '2 days', '-infinity'))
    and not exists (select from inbox_positions passed
      where passed.consumer = $1 and passed.topic = delivery.topic and passed.partition = delivery.partition
        and passed.record_offset >= delivery.record_offset
        and delivery.published_at < now() - interval '6 days')
  on conflict do nothing
  returning event_id
), moved as (
  update inbox_positions passed set record_offset = last.record_offset
  from (
    select topic, partition, max(record_offset) as record_offset
    from delivery join fresh using (event_id) group by topic, partition
  ) last
  where passed.consumer = $1 and passed.topic = last.topic and passed.partition = last.partition
)
select event_id from fresh
