-- Finds transactions by their hashes, and those that took their places.
-- @param {Json} $1:hashes
with input as (
  select * from json_to_recordset($1) as input (chain_id bigint, tx_hash text)
), named as (
  select t.chain_id, t.tx_hash, t.replaced_by from input join transactions t using (chain_id, tx_hash)
), wanted as (
  select chain_id, tx_hash from named
  union
  select chain_id, replaced_by from named where replaced_by is not null
)
select t.* from wanted join transactions t using (chain_id, tx_hash)
