-- Reads the next page of all payments of all projects, in the order of project and id.
-- @param $1:projectId
-- @param $2:paymentId
-- @param $3:limit
select payment.* /* except steps, changed_xid */ from payments payment
where (project_id, id) > ($1, $2) order by project_id, id limit $3
