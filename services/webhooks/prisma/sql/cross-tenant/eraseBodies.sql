-- Replaces the stored bodies of events about erased customers. Events that could not be handled are removed, because their
-- replay would deliver what was erased.
-- @param {Json} $1:erasures The mark is in the payload of each event about the customer.
with input as (
  select * from json_to_recordset($1) as input (
    project_id text, mode smallint, resource_id text, body bytea, mark bytea)
), removed as (
  delete from dead_letters using input where position(input.mark in dead_letters.payload) > 0
)
update events set body = input.body from input
where events.resource_id = input.resource_id and events.project_id = input.project_id
  and events.mode = input.mode and events.type like 'customer.%'
