-- Names the API key of the changes in this transaction; triggers write it to the history of endpoints.
-- @param $1:changedBy
select set_config('webhooks.changed_by', $1, true) as "changed_by!"
