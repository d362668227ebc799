-- Refunds without a submitted transaction that are older than the timeout, oldest first. Chains ends the service's own, once
-- they have a destination.
-- @param $1:createdBefore
-- @param $2:rowsMax
select project_id as "projectId", id as "resourceId" from refunds
where status = 'created' and tx_hash is null and (not service_signed or needs is not null) and created_at < $1
order by created_at limit $2;
