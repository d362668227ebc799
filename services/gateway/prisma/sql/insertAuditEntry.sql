-- Stores an entry of the audit log. Its week is where finishAuditEntry finds it again.
-- @param $1:id
-- @param $2:projectId
-- @param $3:mode
-- @param $4:actor
-- @param $5:action
-- @param $6:targetId?
-- @param {Json} $7:changes
-- @param $8:requestId
-- @param $9:address?
-- @param $10:statusCode?
-- @param $11:createdAt
insert into audit_entries
  (id, project_id, mode, actor, action, target_id, changes, request_id, address, status_code, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
returning week
