-- Approved settlements without a submitted transaction that are older than the timeout, oldest first.
-- @param $1:approvedBefore
-- @param $2:rowsMax
select project_id as "projectId", id as "resourceId" from settlements
where status = 'approved' and tx_hash is null and not service_signed and approved_at < $1
order by approved_at limit $2;
