-- Finds authorizations by their intents, each with how many of its payment's payers have cancelled.
-- @param {Json} $1:intents
select a.*, i.state as "intent_state!", (
    select s.tx_hash from signed_transactions s
    where s.project_id = a.project_id and s.mode = a.mode and s.subject_id = a.subject_id
    order by s.ordinal desc limit 1) as "sent_tx_hash?",
  a.state = 'used' and not a.names_payment and not exists (
    select from signed_transactions s where s.chain_id = a.chain_id and s.tx_hash = a.tx_hash) as "is_lost!", (
    select count(*)::int from authorizations c
    where c.project_id = a.project_id and c.mode = a.mode and c.payment_id = a.payment_id and c.state = 'cancelled')
    as "cancelled!"
from json_to_recordset($1) as g (project_id text, mode smallint, subject_id text)
  join authorizations a using (project_id, mode, subject_id)
  join intents i using (project_id, mode, subject_id)
