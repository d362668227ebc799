-- Finds the payments that were created under idempotency keys, with the fingerprints of those requests.
-- @param {Json} $1:keys
select requested.ord as "ord!", stored.fingerprint as "idem_fingerprint!", payment.* /* except steps, changed_xid */
from json_to_recordset($1) as requested (scope text, key text, ord integer)
cross join lateral (
  -- The limit makes the planner look up each key in the indexes; a join would read the whole table.
  select fingerprint, response from idempotency_keys used
  where used.scope = requested.scope and used.key = requested.key and used.period <= current_timestamp limit 1
) stored
-- convert_from returns text of collation "C", for which the index on id cannot be used.
join payments payment on payment.project_id = split_part(requested.scope, ':', 1)
  and payment.id = convert_from(stored.response, 'UTF8') collate "default"
