-- What was signed already for refunds of a payment.
create index concurrently if not exists intents_payment
  on intents (project_id, mode, payment_id) where payment_id is not null and signed_at is not null;
