-- Abandons candidates, and searches their open payments again: other transactions may pay them now.
-- @param {Json} $1:candidates
with input as (
  select * from json_to_recordset($1) as input (project_id text, id bigint, attempt integer, subject_id text)
), freed as (
  select w.project_id, w.payment_id from watches w
  where w.state = 'open' and (w.project_id, w.payment_id) in (select project_id, subject_id from input)
  order by w.project_id, w.payment_id for update
), abandoned as (
  update candidates c set state = 'abandoned'
  from input
  where c.project_id = input.project_id and c.id = input.id and c.attempt = input.attempt and c.state = 'waiting'
    and (select count(*) from freed) >= 0
  returning c.project_id, c.subject_id, c.found
)
update watches w set opened_xid = current_xid(), again_xid = rematch_xid(w)
from freed f join abandoned a on a.project_id = f.project_id and a.subject_id = f.payment_id
where w.project_id = f.project_id and w.payment_id = f.payment_id and not a.found
