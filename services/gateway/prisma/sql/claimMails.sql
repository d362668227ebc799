-- Leases a batch of 20 due mails to one process.
-- @param $1:now
-- @param $2:leaseUntil
update mails set due_at = $2 where id = any (array(
  select id from mails where due_at <= $1 order by due_at limit 20 for update skip locked))
returning id, recipient, subject, body
