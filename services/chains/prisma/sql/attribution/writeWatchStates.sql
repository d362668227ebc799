-- Writes how far payments are paid, as their candidates are found by.
-- @param {Json} $1:watches
update watches w set paid_block = i.paid_block, has_parts = i.has_parts, is_settled = i.is_settled
from json_to_recordset($1) as i (
  project_id text, payment_id text, paid_block bigint /* null */, has_parts boolean, is_settled boolean)
where w.project_id = i.project_id and w.payment_id = i.payment_id
